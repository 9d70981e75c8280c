#include "server/wire/json_estimate.h"

namespace priorityd::wire {
namespace {

// Texts are unescaped, written, and copied once more when lengths are inserted.
constexpr size_t kBytesOfByte = 5;
// The place and the length of a message; a key of a map, which is kept; a number of a list, written
// twice.
constexpr size_t kBytesOfObject = 64;
constexpr size_t kBytesOfName = 96;
constexpr size_t kBytesOfElement = 48;

}  // namespace

size_t EstimateJson(absl::string_view text) {
  size_t objects = 0, names = 0, elements = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    // The parser accepts both.
    if (c == '"' || c == '\'') quote = c;
    objects += c == '{' || c == '[';
    names += c == ':';
    elements += c == ',';
  }
  return text.size() * kBytesOfByte + objects * kBytesOfObject + names * kBytesOfName +
         elements * kBytesOfElement;
}

}  // namespace priorityd::wire
