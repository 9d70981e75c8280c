#include "server/logging/log_line.h"

#include "absl/strings/str_format.h"

namespace priorityd::logging {
namespace {

// The length of the control character at `i` in bytes, of ASCII or U+0080 to U+009F in UTF-8; 0 =
// another character.
size_t ControlBytes(absl::string_view text, size_t i) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(i) < 0x20 || byte(i) == 0x7f) return 1;
  if (byte(i) != 0xc2 || i + 1 == text.size()) return 0;
  return byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9f ? 2 : 0;
}

char LetterOf(char c) { return c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\0'; }

// Escapes the control character whose last byte is `last`; `prefix` precedes the two hex digits.
std::string Escape(char last, absl::string_view prefix) {
  if (const char letter = LetterOf(last); letter != '\0') return {'\\', letter};
  return absl::StrFormat("%s%02x", prefix, static_cast<unsigned char>(last));
}

}  // namespace

std::string LogLine(absl::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t bytes = ControlBytes(text, i);
    if (bytes == 0) {
      line.push_back(text[i]);
      continue;
    }
    i += bytes - 1;
    line += Escape(text[i], "\\x");
  }
  return line;
}

std::string JsonLogLine(absl::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t bytes = ControlBytes(text, i);
    if (bytes > 0) {
      i += bytes - 1;
      line += Escape(text[i], "\\u00");
      continue;
    }
    if (text[i] == '"' || text[i] == '\\') line.push_back('\\');
    line.push_back(text[i]);
  }
  return line;
}

}  // namespace priorityd::logging
