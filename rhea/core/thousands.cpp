#include "rhea/core/thousands.h"

namespace rhea {

std::string with_thousands(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > first_digit + 3; place -= 3) {
    text.insert(place - 3, 1, ',');
  }
  return text;
}

}  // namespace rhea
