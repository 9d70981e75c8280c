#include "client/prioctl/text/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace priorityd::prioctl {
namespace {

using Lines = absl::Span<const absl::string_view>;

// Lines of one times lines of the other, each two bytes of memory.
constexpr size_t kMostCompared = 16'000'000;

std::vector<absl::string_view> Split(absl::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.empty()) return {};
  return absl::StrSplit(text, '\n');
}

void Print(char sign, Lines lines, std::string* out) {
  for (const absl::string_view line : lines) absl::StrAppend(out, std::string(1, sign), line, "\n");
}

// The length of the longest common subsequence from a[i] and b[j] on.
class CommonLines {
 public:
  CommonLines(Lines a, Lines b) : width_(b.size() + 1), longest_((a.size() + 1) * width_) {
    for (size_t i = a.size(); i-- > 0;) {
      for (size_t j = b.size(); j-- > 0;) {
        longest_[i * width_ + j] =
            a[i] == b[j] ? At(i + 1, j + 1) + 1 : std::max(At(i + 1, j), At(i, j + 1));
      }
    }
  }
  uint16_t At(size_t i, size_t j) const { return longest_[i * width_ + j]; }

 private:
  const size_t width_;
  std::vector<uint16_t> longest_;
};

void PrintDifferences(Lines a, Lines b, std::string* out) {
  if (a.size() * b.size() > kMostCompared || std::min(a.size(), b.size()) > UINT16_MAX) {
    Print('-', a, out);
    return Print('+', b, out);
  }
  const CommonLines common(a, b);
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common.At(i + 1, j) >= common.At(i, j + 1))) {
      Print('-', a.subspan(i++, 1), out);
    } else {
      Print('+', b.subspan(j++, 1), out);
    }
  }
}

}  // namespace

std::string LineDiff(absl::string_view before, absl::string_view after) {
  const std::vector<absl::string_view> all_before = Split(before);
  const std::vector<absl::string_view> all_after = Split(after);
  Lines a = all_before;
  Lines b = all_after;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  std::string out;
  PrintDifferences(a, b, &out);
  return out;
}

}  // namespace priorityd::prioctl
