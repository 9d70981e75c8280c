#include "server/slurm/parse_errors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kPayloadUrl = "type.priorityd/ParseErrors";
constexpr size_t kMaxQuotedBytes = 60;

// One line per error, fields between tabs; CEscape leaves neither inside a field.
std::string Encode(const std::vector<ParseError>& errors, int64_t total) {
  std::string text = absl::StrCat(total);
  for (const ParseError& error : errors) {
    absl::StrAppend(&text, "\n", absl::CEscape(error.file), "\t", error.line, "\t",
                    absl::CEscape(error.message));
  }
  return text;
}

bool Decode(absl::string_view line, ParseError& error) {
  const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
  return fields.size() == 3 && absl::CUnescape(fields[0], &error.file) &&
         absl::SimpleAtoi(fields[1], &error.line) && absl::CUnescape(fields[2], &error.message);
}

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The longest front of `text` of at most `size` bytes that ends between characters.
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

std::string ParseError::Where() const {
  return line == 0 ? file : absl::StrCat(file, " line ", line);
}

void ParseErrors::Add(absl::string_view file, int line, absl::string_view message) {
  ParseError error{std::string(file), line, Presentable(message)};
  if (std::find(errors_.begin(), errors_.end(), error) != errors_.end()) return;
  ++total_;
  if (errors_.size() < kMaxParseErrors) errors_.push_back(std::move(error));
}

absl::Status ParseErrors::ToStatus() const {
  if (empty()) return absl::OkStatus();
  const ParseError& first = errors_.front();
  std::string message = absl::StrCat(first.Where(), ": ", first.message);
  if (total_ > 1) {
    absl::StrAppend(&message, " (and ", total_ - 1, " more error", total_ > 2 ? "s" : "", ")");
  }
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayloadUrl, absl::Cord(Encode(errors_, total_)));
  return status;
}

std::vector<ParseError> ParseErrorsOf(const absl::Status& status) {
  std::vector<ParseError> errors;
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return errors;
  const std::string text(*payload);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ParseError error;
    if (Decode(line, error)) errors.push_back(std::move(error));
  }
  return errors;
}

int64_t ParseErrorCountOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return 0;
  const std::string text(*payload);
  int64_t total = 0;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('\n', 1));
  return absl::SimpleAtoi(parts.first, &total) ? total : 0;
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

}  // namespace priorityd::slurm
