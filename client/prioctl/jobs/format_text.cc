#include "client/prioctl/jobs/format_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::jobs {
namespace {

constexpr int kLongWidth = 20;
constexpr int kMaxWidth = 4096;

// Reads `[.][WIDTH]`, and takes it off.
void ReadWidth(absl::string_view* text, FormatPart* part) {
  part->right = absl::ConsumePrefix(text, ".");
  size_t digits = 0;
  while (digits < text->size() && absl::ascii_isdigit((*text)[digits])) ++digits;
  if (digits > 0 && !absl::SimpleAtoi(text->substr(0, digits), &part->width)) {
    part->width = kMaxWidth;
  }
  part->width = std::min(part->width, kMaxWidth);
  text->remove_prefix(digits);
}

}  // namespace

std::vector<FormatPart> SplitFormat(absl::string_view format) {
  std::vector<FormatPart> parts(1);
  for (absl::string_view rest = format; !rest.empty();) {
    absl::string_view after = rest.substr(1);
    FormatPart part;
    if (rest.front() == '%') ReadWidth(&after, &part);
    if (rest.front() != '%' || after.empty() || !absl::ascii_isalpha(after.front())) {
      parts.back().text.push_back(rest.front());
      rest.remove_prefix(1);
      continue;
    }
    part.letter = after.front();
    part.text = std::move(parts.back().text);
    parts.back() = std::move(part);
    parts.emplace_back();
    rest = after.substr(1);
  }
  return parts;
}

std::vector<FormatPart> SplitLongFormat(absl::string_view format) {
  std::vector<FormatPart> parts;
  std::string suffix;
  for (const absl::string_view text : absl::StrSplit(format, ',')) {
    const size_t colon = text.find(':');
    FormatPart part;
    part.text = std::exchange(suffix, "");
    part.name = std::string(absl::StripAsciiWhitespace(text.substr(0, colon)));
    part.width = kLongWidth;
    if (colon != absl::string_view::npos) {
      absl::string_view size = text.substr(colon + 1);
      part.width = 0;
      ReadWidth(&size, &part);
      suffix = std::string(size);
    }
    parts.push_back(std::move(part));
  }
  parts.push_back({.text = suffix});
  return parts;
}

std::string Cell(absl::string_view text, int width, bool right) {
  if (width == 0) return std::string(text);
  return right ? absl::StrFormat("%*.*s", width, width, text)
               : absl::StrFormat("%-*.*s", width, width, text);
}

}  // namespace priorityd::jobs
