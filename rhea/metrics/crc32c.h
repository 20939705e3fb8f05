// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), and the masked form that TFRecord files hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace rhea {

// crc32c("123456789") = 0xe3069283.
std::uint32_t crc32c(std::string_view bytes);

// Rotated right by 15 bits plus a constant, so that a checksum of data that holds checksums stays a good one.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace rhea
