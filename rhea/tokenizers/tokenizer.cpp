#include "rhea/tokenizers/tokenizer.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/tokenizer_parts.h"

#include <mutex>

namespace rhea {
namespace {

// Sends text through the stages. Keeps a cache of words and room for the regular expressions: one is made for each thread
// at work and used again.
class Encoder {
 public:
  explicit Encoder(const TokenizerParts& parts) : parts_(parts), splitter_(parts.pre_tokenizer) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) {
    ids_ = &ids;
    parts_.raw_tokens.split(
        text, [&](std::string_view between) { add_unnormalized(between, between.data() == text.data()); },
        [&](std::int32_t id) { ids_->push_back(id); });
  }

 private:
  void add_unnormalized(std::string_view text, bool at_start) {
    const std::string_view normalized = parts_.normalizer.apply(text, normalized_);
    parts_.normalized_tokens.split(
        normalized,
        [&](std::string_view between) { splitter_.split(between, at_start && between.data() == normalized.data(), add_piece_); },
        [&](std::int32_t id) { ids_->push_back(id); });
  }

  const TokenizerParts& parts_;
  std::vector<std::int32_t>* ids_ = nullptr;
  PieceSplitter splitter_;
  WordCache cache_;
  std::string normalized_;
  const Splitter::Sink add_piece_ = [this](std::string_view piece, bool) { parts_.model->encode(piece, *ids_, cache_); };
};

}  // namespace

struct Tokenizer::EncoderPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Encoder>> idle;
};

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerParts> parts)
    : parts_(std::move(parts)), encoders_(std::make_unique<EncoderPool>()) {}
Tokenizer::~Tokenizer() = default;

void Tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::unique_ptr<Encoder> encoder;
  {
    const std::lock_guard lock(encoders_->mutex);
    if (!encoders_->idle.empty()) {
      encoder = std::move(encoders_->idle.back());
      encoders_->idle.pop_back();
    }
  }
  if (encoder == nullptr) {
    encoder = std::make_unique<Encoder>(*parts_);
  }
  encoder->encode(text, ids);
  const std::lock_guard lock(encoders_->mutex);
  encoders_->idle.push_back(std::move(encoder));
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

std::vector<std::int32_t> Tokenizer::encode_with_special_tokens(std::string_view text) const {
  std::vector<std::int32_t> ids = parts_->post_processor.before;
  encode(text, ids);
  ids.insert(ids.end(), parts_->post_processor.after.begin(), parts_->post_processor.after.end());
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  std::string bytes;
  Decoder::Tokens tokens;
  const bool only_unspells = parts_->decoder.only_unspells_bytes();
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= parts_->vocab_size) {
      fail("decode: id {} is outside the vocabulary of {} tokens", id, parts_->vocab_size);
    }
    const std::int32_t added = parts_->added_by_id[id];
    if (skip_special_tokens && added >= 0 && parts_->added[added].special) {
      continue;
    }
    if (only_unspells) {
      append_unspelled(token(id), bytes);
    } else {
      tokens.emplace_back(token(id));
    }
  }
  return only_unspells ? bytes : parts_->decoder.decode(std::move(tokens));
}

std::int64_t Tokenizer::vocab_size() const {
  return parts_->vocab_size;
}
std::optional<std::int32_t> Tokenizer::bos_id() const {
  return parts_->bos_id;
}
std::optional<std::int32_t> Tokenizer::eos_id() const {
  return parts_->eos_id;
}
std::uint64_t Tokenizer::hash() const {
  return parts_->hash;
}

std::optional<std::int32_t> Tokenizer::id_of(std::string_view token) const {
  for (const AddedToken& added : parts_->added) {
    if (added.content == token) {
      return added.id;
    }
  }
  return parts_->model->vocabulary().id_of(token);
}

std::string_view Tokenizer::token(std::int32_t id) const {
  if (id < 0 || id >= parts_->vocab_size) {
    return {};
  }
  if (const std::int32_t added = parts_->added_by_id[id]; added >= 0) {
    return parts_->added[added].written;
  }
  const auto& tokens = parts_->model->vocabulary().tokens();
  return static_cast<std::size_t>(id) < tokens.size() ? std::string_view(tokens[id]) : std::string_view();
}

}  // namespace rhea
