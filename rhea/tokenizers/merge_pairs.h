// The merging that byte-pair encodings share: of all neighbouring pairs the one with the lowest rank merges (the leftmost of
// equals), until no pair is known.
#pragma once

#include "rhea/tokenizers/pair_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rhea {

// Appends what the symbols of a piece merge into. Overwrites `symbols`.
void merge_pairs(const PairTable& merges, std::span<std::int32_t> symbols, std::vector<std::int32_t>& ids);

}  // namespace rhea
