#define PCRE2_CODE_UNIT_WIDTH 8
#include "rhea/tokenizers/regex.h"

#include "rhea/core/error.h"

#include <pcre2.h>

#include <array>

namespace rhea {
namespace {

std::string reason_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

Regex::Regex(std::string pattern, Lines lines) : pattern_(std::move(pattern)) {
  int error = 0;
  std::size_t place = 0;
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | (lines == Lines::kMultiline ? PCRE2_MULTILINE : 0);
  pcre2_code* code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern_.data()), pattern_.size(), options, &error, &place, nullptr);
  if (code == nullptr) {
    fail_usage("regular expression \"{}\": {} (at byte {})", pattern_, reason_of(error), place);
  }
  code_ =
      std::shared_ptr<const void>(code, [](const void* p) { pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(p))); });
  jit_ = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
}

Regex::Matcher::Matcher(const Regex& regex) : regex_(regex) {
  const auto* code = static_cast<const pcre2_code*>(regex.code_.get());
  data_ = {pcre2_match_data_create_from_pattern(code, nullptr),
           [](void* p) { pcre2_match_data_free(static_cast<pcre2_match_data*>(p)); }};
  context_ = {pcre2_match_context_create(nullptr),
              [](void* p) { pcre2_match_context_free(static_cast<pcre2_match_context*>(p)); }};
  if (regex.jit_) {
    constexpr std::size_t kStackStart = 32 << 10, kStackMax = 8 << 20;
    stack_ = {pcre2_jit_stack_create(kStackStart, kStackMax, nullptr),
              [](void* p) { pcre2_jit_stack_free(static_cast<pcre2_jit_stack*>(p)); }};
    pcre2_jit_stack_assign(static_cast<pcre2_match_context*>(context_.get()), nullptr, stack_.get());
  }
}

std::optional<RegexMatch> Regex::Matcher::find(std::string_view text, std::size_t from) {
  const auto* code = static_cast<const pcre2_code*>(regex_.code_.get());
  auto* data = static_cast<pcre2_match_data*>(data_.get());
  auto* context = static_cast<pcre2_match_context*>(context_.get());
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const int found = regex_.jit_ ? pcre2_jit_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, context)
                                : pcre2_match(code, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data, context);
  if (found == PCRE2_ERROR_NOMATCH) {
    return std::nullopt;
  }
  if (found < 0) {
    fail("regular expression \"{}\" gives up on text of {} bytes at byte {}: {}", regex_.pattern_, text.size(), from,
         reason_of(found));
  }
  const std::size_t* bounds = pcre2_get_ovector_pointer(data);
  // \K in a look-around can put the begin behind the end.
  return RegexMatch{std::min(bounds[0], bounds[1]), bounds[1]};
}

}  // namespace rhea
