#include "engine/slurm/words/name.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/algorithm/container.h"
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

// Characters without a visible glyph: those that Unicode ignores by default, assigned or not, those
// of its categories Zl, Zp and Zs beyond the space, interlinear annotations, Braille without dots.
bool IsHidden(uint32_t code) {
  const utf8proc_property_t& property = *utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
  const bool is_space = property.category == UTF8PROC_CATEGORY_ZL ||
                        property.category == UTF8PROC_CATEGORY_ZP ||
                        property.category == UTF8PROC_CATEGORY_ZS;
  return property.ignorable || (is_space && code != ' ') || (code >= 0x2060 && code <= 0x206f) ||
         (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f) ||
         code == 0x2800;
}

bool IsAscii(absl::string_view text) {
  return absl::c_all_of(text, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// Whether the text is in Unicode's normalization form C; also if it is no UTF-8.
bool IsNfc(absl::string_view text) {
  if (IsAscii(text)) return true;
  uint8_t* composed = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
      &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (length < 0) return true;
  const std::unique_ptr<uint8_t, decltype(&std::free)> owned(composed, &std::free);
  return text ==
         absl::string_view(reinterpret_cast<const char*>(composed), static_cast<size_t>(length));
}

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
  return CheckAppearance(name);
}

absl::Status CheckAppearance(absl::string_view name) {
  for (absl::string_view rest = name; !rest.empty();) {
    const uint32_t code = TakeCharacter(&rest);
    if (IsControl(code)) return Got(code, "a name without control characters");
    if (IsHidden(code)) return Got(code, "a name of which all is seen, in its order");
  }
  if (IsNfc(name)) return absl::OkStatus();
  absl::string_view rest = name;
  uint32_t code = 0;
  do {
    code = TakeCharacter(&rest);
  } while (IsNfc(name.substr(0, name.size() - rest.size())));
  return Got(code,
             "the name as Unicode composes it (NFC): a letter and its accent are one character");
}

}  // namespace priorityd::slurm
