// What a SentencePiece `.model` file says: the message ModelProto of sentencepiece_model.proto.
//
// Read here and not by SentencePiece's library: that one exports its own protobuf, which clashes with gRPC's in one process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct SentencePieceFile {
  enum class Type : std::uint8_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::kNormal;
  };
  enum class Algorithm : std::uint8_t { kUnigram = 1, kBpe = 2 };

  std::vector<Piece> pieces;  // by id
  std::int32_t unknown_id = -1;
  Algorithm algorithm = Algorithm::kUnigram;
  bool byte_fallback = false;
  std::string bos = "<s>", eos = "</s>";
  std::string unknown_surface = " \xe2\x81\x87 ";  // what decoding writes for the unknown token

  std::string character_map;        // compiled normalisation rules (character_map.h), or empty
  bool spaces_at_end = false;       // "the▁" instead of "▁the"
  bool add_space = true;            // one before (or behind) the text
  bool remove_extra_spaces = true;  // at both ends, and all but one elsewhere
  bool mark_spaces = true;          // spaces become kSpaceMark
};

// Throws Error naming the file, and what is broken in it or not supported. `file` is a name for messages.
SentencePieceFile read_sentencepiece_file(const std::string& file, std::string_view contents);

std::vector<std::string> texts_of(const SentencePieceFile& model);  // of the pieces, by id

}  // namespace rhea
