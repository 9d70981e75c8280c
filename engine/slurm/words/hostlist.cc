#include "engine/slurm/words/hostlist.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

constexpr uint64_t kMaxNumber = 999'999'999'999;

// Numbers from `low` to `high` with at least `width` digits.
struct HostRange {
  uint64_t low = 0;
  uint64_t high = 0;
  int width = 0;

  uint64_t count() const { return high - low + 1; }
  // Of the longest number.
  size_t length() const { return std::max<size_t>(width, absl::StrCat(high).size()); }
};

// A prefix and an optional bracket.
struct Part {
  std::string text;
  std::vector<HostRange> ranges;  // Empty = no bracket.

  uint64_t count() const {
    uint64_t sum = ranges.empty() ? 1 : 0;
    for (const HostRange& range : ranges) sum += std::min<uint64_t>(range.count(), kMaxHosts + 1);
    return sum;
  }
  // Of the longest name; at least 1.
  size_t length() const {
    size_t longest = 0;
    for (const HostRange& range : ranges) longest = std::max(longest, range.length());
    return text.size() + longest;
  }
};

// The text between two commas outside brackets.
using Element = std::vector<Part>;

bool IsNameCharacter(char c) {
  return absl::ascii_isgraph(static_cast<unsigned char>(c)) && c != '[' && c != ']' && c != ',';
}

class HostlistParser {
 public:
  explicit HostlistParser(absl::string_view expression)
      : expression_(expression), rest_(expression) {}

  absl::StatusOr<std::vector<Element>> Parse() {
    std::vector<Element> elements;
    while (!rest_.empty()) {
      Element element;
      if (absl::Status status = ParseElement(element); !status.ok()) return status;
      if (!element.empty()) elements.push_back(std::move(element));
    }
    return elements;
  }

 private:
  absl::Status Error(absl::string_view want) const {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", Quoted(expression_), ", want a hostlist: ", want));
  }

  // Consumes an element and the comma after it.
  absl::Status ParseElement(Element& element) {
    size_t length = 0;
    while (!rest_.empty() && rest_.front() != ',') {
      Part part;
      const auto end = std::find_if_not(rest_.begin(), rest_.end(), IsNameCharacter);
      part.text = std::string(rest_.substr(0, end - rest_.begin()));
      rest_.remove_prefix(part.text.size());
      if (!rest_.empty() && rest_.front() != ',') {
        if (absl::Status status = ParseBracket(part.ranges); !status.ok()) return status;
      }
      length += part.length();
      if (length > kMaxHostNameLength) return TooLong();
      element.push_back(std::move(part));
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return absl::OkStatus();
  }

  absl::Status TooLong() const {
    return Error(absl::StrCat("names of at most ", kMaxHostNameLength, " characters"));
  }

  absl::Status ParseBracket(std::vector<HostRange>& ranges) {
    if (rest_.front() == ']') return Error("a [ before every ]");
    if (rest_.front() != '[') return Error("no blanks and no control characters");
    const size_t end = rest_.find(']');
    if (end == absl::string_view::npos) return Error("a ] after every [");
    for (absl::string_view text : absl::StrSplit(rest_.substr(1, end - 1), ',')) {
      const std::optional<HostRange> range = ReadRange(text);
      if (!range.has_value()) return Error("numbers and ascending ranges in brackets");
      ranges.push_back(*range);
    }
    rest_.remove_prefix(end + 1);
    return absl::OkStatus();
  }

  static std::optional<HostRange> ReadRange(absl::string_view text) {
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(text, absl::MaxSplits('-', 1));
    const bool single = text.find('-') == absl::string_view::npos;
    const std::optional<uint64_t> low = ReadInteger(ends.first, kMaxNumber);
    const std::optional<uint64_t> high = single ? low : ReadInteger(ends.second, kMaxNumber);
    if (!low.has_value() || !high.has_value() || *low > *high) return {};
    if (ends.first.size() > kMaxHostNameLength) return {};
    return HostRange{*low, *high, static_cast<int>(ends.first.size())};
  }

  absl::string_view expression_;
  absl::string_view rest_;
};

absl::StatusOr<int64_t> Count(absl::string_view expression, const std::vector<Element>& elements) {
  uint64_t total = 0;
  for (const Element& element : elements) {
    uint64_t product = 1;
    for (const Part& part : element) {
      product = std::min<uint64_t>(product * std::min<uint64_t>(part.count(), kMaxHosts + 1),
                                   kMaxHosts + 1);
    }
    total += product;
    if (total > kMaxHosts) {
      return absl::InvalidArgumentError(
          absl::StrCat("got ", Quoted(expression), ", want at most ", kMaxHosts, " hosts"));
    }
  }
  return static_cast<int64_t>(total);
}

// Appends the hosts of parts [i, end) with `prefix` before them.
void Expand(const Element& element, size_t i, std::string& prefix,
            std::vector<std::string>& hosts) {
  if (i == element.size()) {
    hosts.push_back(prefix);
    return;
  }
  const size_t size = prefix.size();
  prefix += element[i].text;
  if (element[i].ranges.empty()) Expand(element, i + 1, prefix, hosts);
  const size_t with_text = prefix.size();
  for (const HostRange& range : element[i].ranges) {
    for (uint64_t n = range.low; n <= range.high; ++n) {
      const absl::AlphaNum digits(n);
      if (digits.size() < size_t(range.width)) prefix.append(range.width - digits.size(), '0');
      absl::StrAppend(&prefix, digits);
      Expand(element, i + 1, prefix, hosts);
      prefix.resize(with_text);
    }
  }
  prefix.resize(size);
}

}  // namespace

absl::StatusOr<int64_t> CountHosts(absl::string_view expression) {
  const absl::StatusOr<std::vector<Element>> elements = HostlistParser(expression).Parse();
  if (!elements.ok()) return elements.status();
  return Count(expression, *elements);
}

absl::StatusOr<std::vector<std::string>> ExpandHostlist(absl::string_view expression) {
  const absl::StatusOr<std::vector<Element>> elements = HostlistParser(expression).Parse();
  if (!elements.ok()) return elements.status();
  const absl::StatusOr<int64_t> count = Count(expression, *elements);
  if (!count.ok()) return count.status();
  std::vector<std::string> hosts;
  hosts.reserve(*count);
  std::string prefix;
  for (const Element& element : *elements) Expand(element, 0, prefix, hosts);
  return hosts;
}

}  // namespace priorityd::slurm
