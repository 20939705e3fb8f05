#include <algorithm>
#include <array>
#include <utility>

#include "rhea/checkpoint/safetensors.h"
#include "rhea/core/error.h"

namespace rhea {
namespace {

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 10> kDtypes = {{
    {at::kDouble, "F64"},
    {at::kFloat, "F32"},
    {at::kHalf, "F16"},
    {at::kBFloat16, "BF16"},
    {at::kLong, "I64"},
    {at::kInt, "I32"},
    {at::kShort, "I16"},
    {at::kChar, "I8"},
    {at::kByte, "U8"},
    {at::kBool, "BOOL"},
}};

}  // namespace

std::string_view safetensors_dtype(at::ScalarType type) {
  const auto found = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const auto& entry) { return entry.first == type; });
  if (found == kDtypes.end()) {
    fail("safetensors files cannot hold tensors of dtype {}", c10::toString(type));
  }
  return found->second;
}

at::ScalarType scalar_type_of(std::string_view safetensors_dtype) {
  const auto found =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const auto& entry) { return entry.second == safetensors_dtype; });
  if (found == kDtypes.end()) {
    fail("expected a dtype of F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL, found {:?}", safetensors_dtype);
  }
  return found->first;
}

}  // namespace rhea
