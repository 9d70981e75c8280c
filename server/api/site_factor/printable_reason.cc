#include "server/api/site_factor/printable_reason.h"

#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace priorityd::rpc {
namespace {

constexpr int kMostCharacters = 200;

// The character at the begin of the text, which is not empty.
absl::string_view FirstOf(absl::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  return text.substr(0, lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
}

// Its number in Unicode.
uint32_t CodeOf(absl::string_view character) {
  const auto lead = static_cast<uint8_t>(character.front());
  if (character.size() == 1) return lead;
  uint32_t code = lead & (0x7fU >> character.size());
  for (const char byte : character.substr(1))
    code = code << 6 | (static_cast<uint8_t>(byte) & 0x3f);
  return code;
}

// Of Unicode's kind Cc, and those that fonts show nothing for: of Cf, fillers, tags.
bool IsHidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || code == 0x34f || code == 0x115f || code == 0x1160 ||
         code == 0x180e || code == 0x3164 || code == 0xffa0 || (code >= 0xe0000 && code <= 0xe007f);
}

std::string Shown(absl::string_view character) {
  const uint32_t code = CodeOf(character);
  if (!IsHidden(code)) return std::string(character);
  if (code < 0x80) return absl::CHexEscape(character);
  return code < 0x10000 ? absl::StrFormat("\\u%04x", code) : absl::StrFormat("\\U%08x", code);
}

}  // namespace

std::string PrintableReason(absl::string_view text) {
  std::string printable;
  for (int count = 0; !text.empty(); ++count) {
    if (count == kMostCharacters) return absl::StrCat(printable, "...");
    const absl::string_view character = FirstOf(text);
    absl::StrAppend(&printable, Shown(character));
    text.remove_prefix(character.size());
  }
  return printable;
}

}  // namespace priorityd::rpc
