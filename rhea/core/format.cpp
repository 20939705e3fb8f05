// The program's one copy of fmt. libtorch's wheel ships fmt's headers but not its library; every other file includes
// <fmt/format.h> in its light form (0.3 s instead of 3.5 s) and finds the definitions here.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
template FMT_API auto detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto detail::decimal_point_impl(locale_ref) -> char;
template FMT_API void detail::buffer<char>::append(const char*, const char*);
template FMT_API auto detail::dragonbox::to_decimal(float) noexcept -> detail::dragonbox::decimal_fp<float>;
template FMT_API auto detail::dragonbox::to_decimal(double) noexcept -> detail::dragonbox::decimal_fp<double>;
FMT_END_NAMESPACE
