// Where in the endless stream of rows a run stands: saved with a checkpoint, sought in O(1) when it goes on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rhea {

struct DataPosition {
  std::int64_t epoch = 0;
  std::int64_t document = 0;  // index in the epoch's order
  std::int64_t token = 0;     // in that document, BOS and EOS counted
  std::int64_t rows = 0;      // handed out before, of all ranks together
  std::string stream;         // what the rows depend on: data, seed, framing; empty at the very beginning
};

std::string to_json(const DataPosition& position);
// Throws Error saying what is wrong with the text.
DataPosition data_position_from_json(std::string_view json);

}  // namespace rhea
