#include "client/prioctl/site/alias_csv.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr char kAliasHeading[] = "source,alias,user";

// Whether a line ends here.
bool IsAtEnd(absl::string_view text) {
  return text.empty() || text == "\r" || absl::StartsWith(text, "\n") ||
         absl::StartsWith(text, "\r\n");
}

// A cell at the beginning of `text`, which loses it; nullopt for an open quote, or text after a
// closed one.
std::optional<std::string> TakeCell(absl::string_view* text) {
  std::string cell;
  if (!absl::ConsumePrefix(text, "\"")) {
    while (!IsAtEnd(*text) && text->front() != ',') {
      cell += text->front();
      text->remove_prefix(1);
    }
    return cell;
  }
  for (;;) {
    const size_t quote = text->find('"');
    if (quote == absl::string_view::npos) return std::nullopt;
    absl::StrAppend(&cell, text->substr(0, quote));
    text->remove_prefix(quote + 1);
    if (!absl::ConsumePrefix(text, "\"")) break;
    cell += '"';
  }
  if (!IsAtEnd(*text) && text->front() != ',') return std::nullopt;
  return cell;
}

// The cells of the line, or of the lines, that `text` begins with and loses; nullopt for one that
// is not CSV.
std::optional<std::vector<std::string>> TakeCells(absl::string_view* text) {
  std::vector<std::string> cells;
  do {
    std::optional<std::string> cell = TakeCell(text);
    if (!cell.has_value()) return std::nullopt;
    cells.push_back(*std::move(cell));
  } while (absl::ConsumePrefix(text, ","));
  absl::ConsumePrefix(text, "\r");
  absl::ConsumePrefix(text, "\n");
  return cells;
}

// Takes a line that has no alias.
bool TakeOtherLine(bool is_first, absl::string_view* text) {
  const size_t end = text->find('\n');
  const absl::string_view line = absl::StripSuffix(text->substr(0, end), "\r");
  if (!line.empty() && line[0] != '#' && !(is_first && line == kAliasHeading)) return false;
  text->remove_prefix(end == absl::string_view::npos ? text->size() : end + 1);
  return true;
}

std::string ToCell(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos && !absl::StartsWith(text, "#")) {
    return text;
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

absl::StatusOr<std::vector<AliasLine>> ReadAliasCsv(absl::string_view text,
                                                    absl::string_view name) {
  std::vector<AliasLine> aliases;
  int number = 1;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  for (absl::string_view rest = text; !text.empty(); rest = text) {
    if (!TakeOtherLine(number == 1, &text)) {
      const auto cells = TakeCells(&text);
      if (!cells.has_value() || cells->size() != 3) {
        return absl::InvalidArgumentError(absl::StrCat(
            name, " line ", number, ": got ",
            cells.has_value() ? absl::StrCat(cells->size(), " cells") : "an open quote", ", want ",
            kAliasHeading));
      }
      aliases.push_back({.line = number, .alias = {}});
      v1::UserAlias& alias = aliases.back().alias;
      alias.set_source((*cells)[0]);
      alias.set_alias((*cells)[1]);
      alias.set_user((*cells)[2]);
    }
    rest.remove_suffix(text.size());
    number += static_cast<int>(std::count(rest.begin(), rest.end(), '\n'));
  }
  return aliases;
}

std::string ToAliasCsv(const google::protobuf::RepeatedPtrField<v1::UserAlias>& aliases) {
  std::string text = absl::StrCat(kAliasHeading, "\n");
  for (const v1::UserAlias& alias : aliases) {
    absl::StrAppend(&text, ToCell(alias.source()), ",", ToCell(alias.alias()), ",",
                    ToCell(alias.user()), "\n");
  }
  return text;
}

}  // namespace priorityd::prioctl
