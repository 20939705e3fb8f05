#include "rhea/data/sources.h"

#include "rhea/core/error.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace rhea {
namespace {

namespace fs = std::filesystem;

bool is_packed(const std::string& suffix) {
  return suffix == ".gz" || suffix == ".dz" || suffix == ".zst";
}

SourceKind kind_of(const fs::path& path) {
  constexpr std::array<std::string_view, 12> kForeign = {".parquet", ".arrow", ".zip", ".xz",          ".bz2", ".tar",
                                                         ".tgz",     ".npy",   ".npz", ".safetensors", ".pt",  ".pdf"};
  std::string suffix = path.extension().string();
  const bool packed = is_packed(suffix);
  if (packed) {
    suffix = path.stem().extension().string();
  }
  if (std::find(kForeign.begin(), kForeign.end(), suffix) != kForeign.end()) {
    fail_usage("{}: {} files are not read; give text, .jsonl (either also .gz, .dz or .zst) or llm.c .bin", path.string(),
               suffix);
  }
  if (suffix == ".bin") {
    if (packed) {
      fail_usage("{}: a .bin file of tokens must be unpacked first: it is mapped into memory", path.string());
    }
    return SourceKind::kTokenShard;
  }
  return suffix == ".jsonl" || suffix == ".ndjson" || suffix == ".json" ? SourceKind::kJsonLines : SourceKind::kText;
}

SourceFile describe(const fs::path& path) {
  std::error_code error;
  SourceFile file{path, kind_of(path), fs::file_size(path, error), 0};
  if (error) {
    fail("{}: {}", path.string(), error.message());
  }
  const auto modified = fs::last_write_time(path, error).time_since_epoch();
  file.modified = std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count();
  return file;
}

// The paths that a pattern gives, in no order.
std::vector<fs::path> expand_pattern(const std::string& pattern) {
  glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<fs::path> paths;
  for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
    paths.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  return paths;
}

// The files in a folder and in its folders, without hidden ones, in no order.
void add_folder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory()) {
      entry.disable_recursion_pending();
    } else if (!hidden && entry->is_regular_file()) {
      files.push_back(entry->path());
    }
  }
  if (error) {
    fail("{}: {}", folder.string(), error.message());
  }
}

std::vector<fs::path> expand(const std::string& path) {
  std::vector<fs::path> found = fs::exists(path) ? std::vector<fs::path>{path} : expand_pattern(path);
  if (found.empty()) {
    fail_usage("{}: no such file or folder, and no pattern that gives one", path);
  }
  std::vector<fs::path> files;
  for (const fs::path& one : found) {
    if (fs::is_directory(one)) {
      add_folder(one, files);
    } else {
      files.push_back(one);
    }
  }
  if (files.empty()) {
    fail_usage("{}: the folder has no file", path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<SourceFile> find_sources(const SourceOptions& options) {
  if (options.paths.empty()) {
    fail_usage("the data set has no path: name files, folders or patterns");
  }
  std::vector<SourceFile> files;
  for (const std::string& path : options.paths) {
    for (const fs::path& file : expand(path)) {
      files.push_back(describe(file));
    }
  }
  const auto is_shard = [](const SourceFile& file) { return file.kind == SourceKind::kTokenShard; };
  const auto shard = std::find_if(files.begin(), files.end(), is_shard);
  const auto text = std::find_if_not(files.begin(), files.end(), is_shard);
  if (shard != files.end() && text != files.end()) {
    fail_usage("{} is text and {} is tokens: one data set is made of one or the other", text->path.string(),
               shard->path.string());
  }
  return files;
}

}  // namespace rhea
