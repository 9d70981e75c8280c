#include "engine/slurm/words/file_violations.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace priorityd::slurm {
namespace {

constexpr size_t kMaxQuotedBytes = 60;

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The longest prefix of `text` of at most `size` bytes that ends at a character boundary.
absl::string_view Cut(absl::string_view text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && IsContinuationByte(text[size])) --size;
  return text.substr(0, size);
}

std::string Presentable(absl::string_view message) {
  std::string text(Cut(message, kMaxMessageBytes));
  if (text.size() < message.size()) text += "...";
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return absl::ascii_iscntrl(c); }, '?');
  return text;
}

}  // namespace

std::string PlaceText(absl::string_view file, int line) {
  return line == 0 ? std::string(file) : absl::StrCat(file, " line ", line);
}

void FileViolations::Add(absl::string_view file, int line, absl::string_view message) {
  const errors::FieldViolation violation{PlaceText(file, line), Presentable(message)};
  if (absl::c_linear_search(violations_.kept(), violation)) return;
  violations_.Add(violation.field, violation.description);
}

void LimitWarnings(std::vector<std::string>& warnings) {
  if (warnings.size() <= kMaxWarnings) return;
  const size_t missing = warnings.size() - kMaxWarnings + 1;
  warnings.resize(kMaxWarnings - 1);
  warnings.push_back(absl::StrCat(missing, " more warnings"));
}

std::string Quoted(absl::string_view text) {
  const absl::string_view kept = Cut(text, kMaxQuotedBytes);
  // Single quotes need no escape here.
  const std::string escaped =
      absl::StrReplaceAll(absl::Utf8SafeCEscape(kept), {{"\\\\", "\\\\"}, {"\\'", "'"}});
  return absl::StrCat("\"", escaped, kept.size() < text.size() ? "..." : "", "\"");
}

absl::Status Unexpected(absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("got ", Quoted(got), ", want ", want));
}

}  // namespace priorityd::slurm
