#include "engine/slurm/words/line_reader.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/strip.h"

namespace priorityd::slurm {
namespace {

// A lead byte's sequence: how many bytes follow, and the bounds of the first of
// them, which rule out overlong forms, surrogates and what is above U+10FFFF.
struct Utf8Sequence {
  int following = -1;  // -1 = no lead byte.
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
};

Utf8Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {0};
  if (lead >= 0xC2 && lead <= 0xDF) return {1};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  if (lead >= 0xF1 && lead <= 0xF3) return {3};
  return {};
}

bool IsBetween(uint8_t byte, uint8_t low, uint8_t high) { return byte >= low && byte <= high; }

}  // namespace

bool IsValidUtf8(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const Utf8Sequence sequence = SequenceOf(static_cast<uint8_t>(text[i]));
    if (sequence.following < 0 || text.size() - i - 1 < static_cast<size_t>(sequence.following)) {
      return false;
    }
    for (int k = 1; k <= sequence.following; ++k) {
      const uint8_t byte = static_cast<uint8_t>(text[i + k]);
      const bool first = k == 1;
      if (!IsBetween(byte, first ? sequence.low : 0x80, first ? sequence.high : 0xBF)) return false;
    }
    i += sequence.following + 1;
  }
  return true;
}

LineReader::LineReader(const SourceFile& file, FileViolations& violations)
    : file_(file), violations_(violations), rest_(file.content) {
  absl::ConsumePrefix(&rest_, "\xEF\xBB\xBF");
}

bool LineReader::Next(TextLine& line) {
  while (!rest_.empty()) {
    ++number_;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    absl::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    absl::ConsumeSuffix(&text, "\r");
    if (text.find('\0') != absl::string_view::npos) {
      violations_.Add(file_.name, number_, "got a NUL byte, want text");
    } else if (!IsValidUtf8(text)) {
      violations_.Add(file_.name, number_, "got invalid UTF-8, want UTF-8 text");
    } else {
      line = {number_, text};
      return true;
    }
  }
  return false;
}

}  // namespace priorityd::slurm
