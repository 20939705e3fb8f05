#include "rhea/tokenizers/normalizer.h"

#include "rhea/core/error.h"
#include "rhea/tokenizers/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace rhea {
namespace {

void append_nfc(std::string_view valid, std::string& out) {
  utf8proc_uint8_t* composed = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(valid.data());
  const utf8proc_ssize_t length = utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(valid.size()), &composed, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  if (length < 0) {
    fail("NFC normalisation of {} bytes of text failed: {}", valid.size(), utf8proc_errmsg(length));
  }
  out.append(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length));
}

}  // namespace

std::string_view normalize(Normalizer normalizer, std::string_view text, std::string& storage) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (normalizer == Normalizer::kNone || std::all_of(text.begin(), text.end(), is_ascii)) {
    return text;
  }
  storage.clear();
  for_each_utf8_run(text, [&](std::string_view run, bool valid) {
    if (valid) {
      append_nfc(run, storage);
    } else {
      storage += run;
    }
  });
  return storage;
}

}  // namespace rhea
