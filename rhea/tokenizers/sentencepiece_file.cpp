#include "rhea/tokenizers/sentencepiece_file.h"

#include "rhea/core/error.h"
#include "rhea/tokenizers/protobuf_reader.h"
#include "rhea/tokenizers/utf8.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <unordered_set>

namespace rhea {
namespace {

// Calls field(Field) for each field of a message.
template <class OnField>
void for_each_field(std::string_view message, const OnField& on_field) {
  ProtobufReader reader(message);
  while (const auto field = reader.next()) {
    on_field(*field);
  }
}

SentencePieceFile::Piece read_piece(std::string_view message) {
  SentencePieceFile::Piece piece;
  for_each_field(message, [&](const ProtobufReader::Field& field) {
    switch (field.number) {
      case 1: piece.text = field.bytes; break;
      case 2: piece.score = field.fixed_float(); break;
      case 3:
        if (field.integer < 1 || field.integer > 6) {
          throw std::invalid_argument("a piece has an unknown type");
        }
        piece.type = static_cast<SentencePieceFile::Type>(field.integer);
        break;
      default: break;
    }
  });
  return piece;
}

void read_trainer_spec(std::string_view message, SentencePieceFile& model) {
  for_each_field(message, [&](const ProtobufReader::Field& field) {
    switch (field.number) {
      case 3:
        if (field.integer != 1 && field.integer != 2) {
          throw std::invalid_argument("its model_type is not supported; supported are unigram and bpe");
        }
        model.algorithm = static_cast<SentencePieceFile::Algorithm>(field.integer);
        break;
      case 24: model.spaces_at_end = field.boolean(); break;
      case 35: model.byte_fallback = field.boolean(); break;
      case 44: model.unknown_surface = field.bytes; break;
      case 46: model.bos = field.bytes; break;
      case 47: model.eos = field.bytes; break;
      default: break;  // of the training only
    }
  });
}

void read_normalizer_spec(std::string_view message, SentencePieceFile& model) {
  for_each_field(message, [&](const ProtobufReader::Field& field) {
    switch (field.number) {
      case 2: model.character_map = field.bytes; break;
      case 3: model.add_space = field.boolean(); break;
      case 4: model.remove_extra_spaces = field.boolean(); break;
      case 5: model.mark_spaces = field.boolean(); break;
      default: break;
    }
  });
}

void refuse_denormalizer(std::string_view message) {
  for_each_field(message, [](const ProtobufReader::Field& field) {
    if (field.number == 2 && !field.bytes.empty()) {
      throw std::invalid_argument("its denormalizer_spec is not supported");
    }
  });
}

constexpr std::size_t kMaxPieces = std::size_t{1} << 22, kMaxPieceBytes = std::size_t{1} << 12;

void add_piece(SentencePieceFile::Piece piece, SentencePieceFile& model) {
  const std::size_t id = model.pieces.size();
  if (id == kMaxPieces || piece.text.size() > kMaxPieceBytes) {
    throw std::invalid_argument(fmt::format("piece {} is one too many or too long", id));
  }
  if (piece.text.empty() || valid_utf8_prefix(piece.text) != piece.text.size() || !std::isfinite(piece.score)) {
    throw std::invalid_argument(fmt::format("piece {} is empty, no UTF-8 or has no score", id));
  }
  model.pieces.push_back(std::move(piece));
}

bool is_byte(const SentencePieceFile::Piece& piece, int byte) {
  return piece.type == SentencePieceFile::Type::kByte && piece.text == fmt::format("<0x{:02X}>", byte);
}

void check_pieces(SentencePieceFile& model) {
  using Type = SentencePieceFile::Type;
  if (model.pieces.empty()) {
    throw std::invalid_argument("it has no pieces");
  }
  std::unordered_set<std::string_view> known;
  int bytes = 0;
  for (std::size_t id = 0; id < model.pieces.size(); ++id) {
    const auto& piece = model.pieces[id];
    if (!known.insert(piece.text).second) {
      throw std::invalid_argument(fmt::format("piece {} (\"{}\") is there twice", id, piece.text));
    }
    if (piece.type == Type::kUnknown) {
      if (model.unknown_id >= 0) {
        throw std::invalid_argument("it has more than one piece for what is unknown");
      }
      model.unknown_id = static_cast<std::int32_t>(id);
    }
    bytes += is_byte(piece, bytes) ? 1 : 0;  // they stand in order, as SentencePiece writes them
    if (piece.type == Type::kUnused && model.algorithm == SentencePieceFile::Algorithm::kBpe) {
      throw std::invalid_argument(fmt::format("unused pieces (\"{}\") of a bpe model are not supported", piece.text));
    }
  }
  if (model.unknown_id < 0) {
    throw std::invalid_argument("it has no piece for what is unknown");
  }
  if (model.byte_fallback && bytes != 256) {
    throw std::invalid_argument(fmt::format("byte_fallback needs 256 pieces for bytes; it has {}", bytes));
  }
}

}  // namespace

SentencePieceFile read_sentencepiece_file(const std::string& file, std::string_view contents) {
  SentencePieceFile model;
  try {
    for_each_field(contents, [&](const ProtobufReader::Field& field) {
      switch (field.number) {
        case 1: add_piece(read_piece(field.bytes), model); break;
        case 2: read_trainer_spec(field.bytes, model); break;
        case 3: read_normalizer_spec(field.bytes, model); break;
        case 5: refuse_denormalizer(field.bytes); break;
        default: break;
      }
    });
    check_pieces(model);
  } catch (const std::invalid_argument& error) {
    fail("{}: no SentencePiece model: {}", file, error.what());
  }
  return model;
}

std::vector<std::string> texts_of(const SentencePieceFile& model) {
  std::vector<std::string> texts;
  texts.reserve(model.pieces.size());
  for (const auto& piece : model.pieces) {
    texts.push_back(piece.text);
  }
  return texts;
}

}  // namespace rhea
