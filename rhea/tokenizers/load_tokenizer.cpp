// From a file to a Tokenizer: what kind of file it is shows in its contents.
#include "rhea/core/error.h"
#include "rhea/core/files.h"
#include "rhea/core/random.h"
#include "rhea/tokenizers/bos_eos.h"
#include "rhea/tokenizers/ranked_tokens.h"
#include "rhea/tokenizers/sentencepiece.h"
#include "rhea/tokenizers/tokenizer.h"
#include "rhea/tokenizers/tokenizer_json.h"

namespace rhea {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;  // Llama 3's is 9 MB

// Of models as they are published, the most complete first.
constexpr const char* kFileNames[] = {"tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model"};

// Their ids in Hugging Face's library are others than the .model's.
constexpr std::string_view kRenumbered[] = {"XLMRoberta", "MBart", "Nllb", "Camembert", "Pegasus", "M2M100"};

fs::path find_rank_file(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".tiktoken") {
      if (!found.empty()) {
        fail("{}: holds more than one .tiktoken file; name the one to use", folder.string());
      }
      found = entry.path();
    }
  }
  return found;
}

std::unique_ptr<TokenizerParts> read_json(const std::string& file, std::string& text) {
  simdjson::dom::parser parser;
  const JsonView top(file, "", parse_json(parser, file, text));
  return is_tekken(top) ? read_tekken(top) : read_tokenizer_json(top);
}

// What Hugging Face's older tokenizers keep beside the .model; without it ids would be wrong silently.
void refuse_changed_ids(const fs::path& model) {
  const fs::path added = model.parent_path() / "added_tokens.json", config = model.parent_path() / "tokenizer_config.json";
  if (fs::exists(added)) {
    fail("{}: tokens added to a SentencePiece model are not supported; use the model's tokenizer.json", added.string());
  }
  const std::string settings = fs::exists(config) ? read_file(config, kMaxFileBytes) : std::string();
  for (const std::string_view family : kRenumbered) {
    if (settings.find(fmt::format("\"{}", family)) != std::string::npos) {
      fail(
          "{}: {} tokenizers number the pieces of a SentencePiece model anew, which is not supported; use the model's "
          "tokenizer.json",
          config.string(), family);
    }
  }
}

}  // namespace

fs::path find_tokenizer_file(const fs::path& path) {
  if (!fs::is_directory(path)) {
    return path;
  }
  for (const char* name : kFileNames) {
    if (fs::exists(path / name)) {
      return path / name;
    }
  }
  const fs::path rank_file = find_rank_file(path);
  if (rank_file.empty()) {
    fail("{}: no tokenizer in this folder: no tokenizer.json, tekken.json, tokenizer.model, spiece.model or .tiktoken file",
         path.string());
  }
  return rank_file;
}

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& path) {
  const fs::path found = find_tokenizer_file(path);
  const std::string file = found.string();
  std::string text = read_file(found, kMaxFileBytes);
  const std::uint64_t hash = hash_name(text);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  std::unique_ptr<TokenizerParts> parts;
  if (found.extension() == ".json" || (begin != std::string::npos && text[begin] == '{')) {
    parts = read_json(file, text);
  } else if (is_rank_file(text)) {
    parts = read_rank_file(file, text);
  } else {
    refuse_changed_ids(found);
    parts = read_sentencepiece(file, text);
  }
  parts->hash = hash;
  find_bos_and_eos(*parts, found.parent_path() / "tokenizer_config.json");
  return std::make_unique<Tokenizer>(std::move(parts));
}

}  // namespace rhea
