// Large numbers for people: 6163712 -> "6,163,712".
#pragma once

#include <cstdint>
#include <string>

namespace rhea {

std::string with_thousands(std::int64_t number);

}  // namespace rhea
