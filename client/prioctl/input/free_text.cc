#include "client/prioctl/input/free_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "engine/slurm/words/line_reader.h"

namespace priorityd::prioctl {
namespace {

constexpr absl::string_view kFreeWords[] = {"Reason", "Description", "Organization"};

// The text from Latin-1, unless it is UTF-8 already.
std::string AsUtf8(absl::string_view text) {
  if (slurm::IsValidUtf8(text)) return std::string(text);
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return utf8;
}

// Whether a word whose value is free text ends before the `=` at `equals`.
bool IsFreeWord(absl::string_view line, size_t equals) {
  size_t begin = equals;
  while (begin > 0 && absl::ascii_isalpha(line[begin - 1])) --begin;
  const absl::string_view word = line.substr(begin, equals - begin);
  return std::any_of(std::begin(kFreeWords), std::end(kFreeWords),
                     [&](absl::string_view free) { return absl::EqualsIgnoreCase(word, free); });
}

bool IsQuote(char c) { return c == '\'' || c == '"'; }

// Behind the closing quote; the end of the line without one. REQUIRES: a quote at `begin`.
size_t EndOfQuoted(absl::string_view line, size_t begin) {
  const size_t quote = line.find(line[begin], begin + 1);
  return quote == absl::string_view::npos ? line.size() : quote + 1;
}

// The end of the value that begins at `begin`: behind its quotes, or the next separator.
size_t EndOfValue(absl::string_view line, size_t begin) {
  if (begin < line.size() && IsQuote(line[begin])) return EndOfQuoted(line, begin);
  return std::min(line.find_first_of(" \t:", begin), line.size());
}

std::string LineAsUtf8(absl::string_view line) {
  std::string text;
  size_t done = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (IsQuote(line[i])) {  // Of a name, where `#` begins no comment.
      i = EndOfQuoted(line, i) - 1;
      continue;
    }
    const bool is_comment = line[i] == '#' && (i == 0 || absl::ascii_isspace(line[i - 1]));
    if (!is_comment && (line[i] != '=' || !IsFreeWord(line, i))) continue;
    const size_t end = is_comment ? line.size() : EndOfValue(line, i + 1);
    text.append(line.data() + done, i - done);
    text += AsUtf8(line.substr(i, end - i));
    done = end;
    i = std::max(i, end - 1);
  }
  text.append(line.data() + done, line.size() - done);
  return text;
}

}  // namespace

std::string WithFreeTextAsUtf8(std::string content) {
  if (slurm::IsValidUtf8(content)) return content;
  std::string text;
  for (absl::string_view rest = content; !rest.empty();) {
    const size_t length = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const absl::string_view line = rest.substr(0, length);
    text += slurm::IsValidUtf8(line) ? std::string(line) : LineAsUtf8(line);
    rest.remove_prefix(length);
  }
  return text;
}

}  // namespace priorityd::prioctl
