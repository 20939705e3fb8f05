#include "rhea/tokenizers/tokenizer.h"

#include "rhea/tokenizers/byte_level.h"
#include "rhea/tokenizers/tokenizer_parts.h"

#include <mutex>

namespace rhea {
namespace {

// Sends text through the stages. Keeps a cache of words and room for the regular expression: one is made for each thread
// at work and used again.
class Encoder {
 public:
  explicit Encoder(const TokenizerParts& parts) : parts_(parts) {
    if (parts.pre_tokenizer.pattern) {
      matcher_.emplace(*parts.pre_tokenizer.pattern);
    }
  }

  void encode(std::string_view text, std::vector<std::int32_t>& ids) {
    ids_ = &ids;
    parts_.raw_tokens.split(
        text, [&](std::string_view between) { add_unnormalized(between); }, [&](std::int32_t id) { ids_->push_back(id); });
  }

 private:
  void add_unnormalized(std::string_view text) {
    parts_.normalized_tokens.split(
        normalize(parts_.normalizer, text, normalized_), [&](std::string_view between) { add_normalized(between); },
        [&](std::int32_t id) { ids_->push_back(id); });
  }

  void add_normalized(std::string_view text) {
    if (parts_.pre_tokenizer.add_prefix_space && text.front() != ' ') {
      prefixed_.assign(1, ' ').append(text);
      text = prefixed_;
    }
    const auto add_piece = [&](std::string_view piece) { parts_.model.encode(piece, *ids_, cache_); };
    if (matcher_) {
      split_by_pattern(*matcher_, text, add_piece);
    } else {
      add_piece(text);
    }
  }

  const TokenizerParts& parts_;
  std::vector<std::int32_t>* ids_ = nullptr;
  std::optional<Regex::Matcher> matcher_;
  WordCache cache_;
  std::string normalized_, prefixed_;
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

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= parts_->vocab_size) {
      fail("decode: id {} is outside the vocabulary of {} tokens", id, parts_->vocab_size);
    }
    if (const auto added = parts_->added_by_id.find(id); added != parts_->added_by_id.end()) {
      const AddedToken& token = parts_->added[added->second];
      text += token.special && skip_special_tokens ? std::string_view() : std::string_view(token.content);
    } else {
      // A token with a character that spells no byte (a literal of a foreign vocabulary) is written as it stands.
      text += unspell_bytes(token(id)).value_or(std::string(token(id)));
    }
  }
  return text;
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
  return parts_->model.id_of(token);
}

std::string_view Tokenizer::token(std::int32_t id) const {
  if (const auto added = parts_->added_by_id.find(id); added != parts_->added_by_id.end()) {
    return parts_->added[added->second].content;
  }
  const auto& tokens = parts_->model.tokens();
  return id >= 0 && static_cast<std::size_t>(id) < tokens.size() ? std::string_view(tokens[id]) : std::string_view();
}

}  // namespace rhea
