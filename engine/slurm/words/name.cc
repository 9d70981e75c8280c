#include "engine/slurm/words/name.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/errors/bounds.h"

namespace priorityd::slurm {
namespace {

// Consumes the first character; invalid UTF-8 is left to the readers of files.
uint32_t TakeCharacter(absl::string_view* text) {
  const auto first = static_cast<uint8_t>(text->front());
  const size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t code = length == 1 ? first : first & (0xff >> (length + 1));
  for (size_t i = 1; i < length && i < text->size(); ++i) code = code << 6 | ((*text)[i] & 0x3f);
  text->remove_prefix(length < text->size() ? length : text->size());
  return code;
}

bool IsControl(uint32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }

// The characters of Unicode's categories Cf, Zl and Zp without a visible glyph.
bool IsHidden(uint32_t code) {
  return code == 0xad || code == 0x61c || code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe007f);
}

bool IsAccent(uint32_t code) { return code >= 0x300 && code <= 0x36f; }

absl::Status Got(uint32_t code, const char* want) {
  return absl::InvalidArgumentError(
      absl::StrFormat("got a name with the character U+%04X, want %s", code, want));
}

}  // namespace

absl::Status CheckName(absl::string_view name) {
  if (name.size() > errors::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat("got a name of ", name.size(),
                                                   " bytes, want at most ", errors::kMaxNameBytes));
  }
  for (absl::string_view rest = name; !rest.empty();) {
    const uint32_t code = TakeCharacter(&rest);
    if (IsControl(code)) return Got(code, "a name without control characters");
    if (IsHidden(code)) return Got(code, "a name of which all is seen, in its order");
    if (IsAccent(code)) return Got(code, "the letter with its accent as one character (NFC)");
  }
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
