// Text to token ids and back, as the file of a published model describes it: Hugging Face's tokenizer.json, SentencePiece's
// .model, OpenAI's .tiktoken files of ranks, Mistral's tekken.json.
//
// BPE (GPT-2, Llama, Mistral, Qwen, Gemma, ...), WordPiece (BERT), Unigram (T5, XLM-R) and WordLevel, with the stages around
// them. A file that asks for anything else is refused with the name of what it asks for; nothing is approximated. Ids are those
// of the libraries that the files are made for (tokenizers, sentencepiece, tiktoken). Any bytes may be encoded: where the
// tokenizer has tokens for bytes, those that are no UTF-8 are kept, byte by byte (SentencePiece makes them U+FFFD). What is a
// letter or a digit is asked of PCRE2, whose Unicode may be older than a library's: new characters may be cut differently.
//
//   const auto tokenizer = load_tokenizer("assets/llama3");
//   std::vector<std::int32_t> ids = tokenizer->encode("Hello");
//   std::string text = tokenizer->decode(ids);
//
// A Tokenizer never changes: all members may be called from any thread at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

struct TokenizerParts;  // the stages of the pipeline, tokenizer_parts.h

class Tokenizer {
 public:
  explicit Tokenizer(std::unique_ptr<const TokenizerParts> parts);
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;
  ~Tokenizer();

  // The ids of the text. No BOS or EOS is added: whoever makes documents of it does that.
  std::vector<std::int32_t> encode(std::string_view text) const;
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;  // appends

  // With what the file's post_processor puts around a text. Whoever makes documents adds BOS and EOS instead.
  std::vector<std::int32_t> encode_with_special_tokens(std::string_view text) const;

  // The bytes that the ids stand for; cut ids may give cut UTF-8. Special tokens are written out, or left out on demand.
  // Throws Error for an id outside [0, vocab_size).
  std::string decode(std::span<const std::int32_t> ids, bool skip_special_tokens = false) const;

  std::int64_t vocab_size() const;  // 1 + the largest id
  std::optional<std::int32_t> bos_id() const;
  std::optional<std::int32_t> eos_id() const;
  std::optional<std::int32_t> id_of(std::string_view token) const;  // the token as the file spells it: "Ġthe"
  std::string_view token(std::int32_t id) const;                    // empty for an id that no token has
  std::uint64_t hash() const;                                       // of everything that encode depends on

 private:
  struct EncoderPool;  // what encode() works with, one a thread at work
  std::unique_ptr<const TokenizerParts> parts_;
  std::unique_ptr<EncoderPool> encoders_;
};

// Reads a tokenizer.json, a SentencePiece .model, a .tiktoken file of ranks or a tekken.json: the file `path`, or in the folder
// `path` the one that find_tokenizer_file() finds. BOS and EOS are those that a tokenizer_config.json beside it names, else
// those of the .model, else the special token with a usual name (<|begin_of_text|>, <s>, <|endoftext|>, ...), else none.
// Throws Error naming the file and what is wrong with it.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path);

// `path` itself, or if it is a folder the tokenizer's file in it. Throws Error if there is none.
std::filesystem::path find_tokenizer_file(const std::filesystem::path& path);

}  // namespace rhea
