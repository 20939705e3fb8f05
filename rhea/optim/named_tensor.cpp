#include "rhea/optim/named_tensor.h"

#include <c10/core/GradMode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "rhea/core/error.h"

namespace rhea {
namespace {

constexpr std::size_t kMaxListed = 10;

// "2 missing: a, b; " or nothing.
std::string describe(std::string_view kind, const std::vector<std::string>& items) {
  if (items.empty()) {
    return "";
  }
  const std::span listed = std::span(items).first(std::min(items.size(), kMaxListed));
  const std::string more = items.size() > kMaxListed ? ", ..." : "";
  return fmt::format("; {} {}: {}{}", items.size(), kind, fmt::join(listed, ", "), more);
}

}  // namespace

void check_and_copy(const TensorMap& source, std::span<const NamedTensor> destination, std::string_view source_name) {
  std::vector<std::string> missing, unexpected, mismatched;
  std::set<std::string_view> wanted;
  for (const NamedTensor& want : destination) {
    wanted.insert(want.name);
    const auto found = source.find(want.name);
    if (found == source.end()) {
      missing.push_back(want.name);
    } else if (found->second.sizes() != want.tensor.sizes()) {
      mismatched.push_back(fmt::format("{} (expected [{}], found [{}])", want.name, fmt::join(want.tensor.sizes(), ", "),
                                       fmt::join(found->second.sizes(), ", ")));
    }
  }
  for (const auto& [name, tensor] : source) {
    if (!wanted.contains(name)) {
      unexpected.push_back(name);
    }
  }
  if (!missing.empty() || !unexpected.empty() || !mismatched.empty()) {
    fail("{} does not fit what is to be loaded ({} tensors){}{}{}", source_name, destination.size(), describe("missing", missing),
         describe("unexpected", unexpected), describe("of another shape", mismatched));
  }
  const c10::AutoGradMode no_grad(false);
  for (const NamedTensor& want : destination) {
    want.tensor.copy_(source.at(want.name));
  }
}

}  // namespace rhea
