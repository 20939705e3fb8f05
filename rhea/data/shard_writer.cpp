#include "rhea/data/shard_writer.h"

#include "rhea/core/error.h"
#include "rhea/data/shard_format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace rhea {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kProgressName = ".shards.json";

const ShardKind& kind_of(std::int64_t vocab_size) {
  return vocab_size <= 65536 ? kNarrowShard : kWideShard;
}

fs::path shard_path(const fs::path& folder, std::int64_t number) {
  return folder / fmt::format("tokens_{:06}.bin", number);
}

fs::path unfinished(fs::path path) {
  return path += ".unfinished";
}

std::int64_t count_in(const Json& json, const char* name, const fs::path& path) {
  if (!json.contains(name) || !json[name].is_number_unsigned()) {
    fail("{}: expected \"{}\" to be a number of at least 0; remove the folder to begin anew", path.string(), name);
  }
  return json[name].get<std::int64_t>();
}

}  // namespace

ShardWriter::ShardWriter(ShardOptions options) : options_(std::move(options)) {
  if (options_.tokens_per_shard < 1 || options_.tokens_per_shard > kMostShardTokens) {
    fail_usage("tokens of a shard: expected 1 to {}, found {}", kMostShardTokens, options_.tokens_per_shard);
  }
  require_writable_folder(options_.folder, "the folder for shards");
  load_progress();
}

void ShardWriter::load_progress() {
  const fs::path path = options_.folder / kProgressName;
  if (!fs::exists(path)) {
    if (fs::exists(shard_path(options_.folder, 0))) {
      fail_usage("{}: there are shards already, but no {}: choose another folder", options_.folder.string(), kProgressName);
    }
    return;
  }
  const Json json = Json::parse(read_file(path, 1 << 20), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    fail("{}: no JSON object; remove the folder to begin anew", path.string());
  }
  if (json.value("work", Json()) != options_.work) {
    fail_usage("{}: the shards are of other texts, options or another tokenizer: choose another folder", path.string());
  }
  if (json.value("complete", Json()) == true) {
    fail_usage("{}: the shards are complete; remove the folder to make them anew", path.string());
  }
  total_ = {count_in(json, "shards", path), count_in(json, "documents", path), count_in(json, "tokens", path)};
}

void ShardWriter::save_progress(bool complete) const {
  const Json json = {{"shards", total_.shards}, {"documents", total_.documents},     {"tokens", total_.tokens},
                     {"complete", complete},    {"vocab_size", options_.vocab_size}, {"separator", options_.separator},
                     {"work", options_.work}};
  write_file_atomically(options_.folder / kProgressName, json.dump(1) + "\n");
}

void ShardWriter::open_shard() {
  file_.emplace(unfinished(shard_path(options_.folder, total_.shards)));
  const ShardHeader header;  // told at the end
  file_->write(&header, sizeof(header));
}

// In this order: a kill between the rename and .shards.json makes the same shard again.
void ShardWriter::close_shard() {
  const ShardKind& kind = kind_of(options_.vocab_size);
  ShardHeader header;
  header.magic = kind.magic;
  header.version = kind.version;
  header.num_tokens = static_cast<std::int32_t>(current_.tokens);
  file_->overwrite(0, &header, sizeof(header));
  file_->close();
  file_.reset();
  const fs::path path = shard_path(options_.folder, total_.shards);
  fs::rename(unfinished(path), path);
  sync_folder(options_.folder);
  total_ = {total_.shards + 1, total_.documents + current_.documents, total_.tokens + current_.tokens};
  current_ = {};
  save_progress(/*complete=*/false);
}

void ShardWriter::write_ids(std::span<const std::int32_t> ids) {
  current_.tokens += static_cast<std::int64_t>(ids.size());
  if (current_.tokens > kMostShardTokens) {
    fail("{}: a document has more tokens than a shard can hold ({}): cut the text into documents",
         shard_path(options_.folder, total_.shards).string(), kMostShardTokens);
  }
  if (kind_of(options_.vocab_size).bytes_per_token == 2) {
    narrow_.assign(ids.begin(), ids.end());
    file_->write(narrow_.data(), narrow_.size() * sizeof(std::uint16_t));
  } else {
    file_->write(ids.data(), ids.size_bytes());
  }
}

void ShardWriter::append(std::span<const std::int32_t> ids) {
  if (!file_) {
    open_shard();
  }
  if (!std::exchange(in_document_, true)) {
    write_ids({&options_.separator, 1});
  }
  write_ids(ids);
}

void ShardWriter::end_document() {
  append({});  // an empty document keeps its separator, so that documents are counted as they are read
  in_document_ = false;
  ++current_.documents;
  if (current_.tokens >= options_.tokens_per_shard) {
    close_shard();
  }
}

void ShardWriter::close() {
  if (in_document_) {
    end_document();
  }
  if (file_) {
    close_shard();
  }
  save_progress(/*complete=*/true);
}

}  // namespace rhea
