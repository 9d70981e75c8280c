#include "client/prioctl/site/alias_csv.h"

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/prioctl/text/visible_text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr char kAliasHeading[] = "source,alias,user";

// A cell at the beginning of `line`, which loses it; nullopt for an open quote, or text after a
// closed one.
std::optional<std::string> TakeCell(absl::string_view* line) {
  std::string cell;
  if (!absl::ConsumePrefix(line, "\"")) {
    const size_t end = line->find(',');
    cell = std::string(line->substr(0, end));
    line->remove_prefix(cell.size());
    return cell;
  }
  for (;;) {
    const size_t quote = line->find('"');
    if (quote == absl::string_view::npos) return std::nullopt;
    absl::StrAppend(&cell, line->substr(0, quote));
    line->remove_prefix(quote + 1);
    if (!absl::ConsumePrefix(line, "\"")) break;
    cell += '"';
  }
  if (!line->empty() && line->front() != ',') return std::nullopt;
  return cell;
}

// nullopt for a line that is not CSV.
std::optional<std::vector<std::string>> CellsOf(absl::string_view line) {
  std::vector<std::string> cells;
  do {
    std::optional<std::string> cell = TakeCell(&line);
    if (!cell.has_value()) return std::nullopt;
    cells.push_back(*std::move(cell));
  } while (absl::ConsumePrefix(&line, ","));
  return cells;
}

std::string ToCell(const std::string& raw) {
  const std::string text = WithVisibleControls(raw);
  if (text.find_first_of("\",\n") == std::string::npos && !absl::StartsWith(text, "#")) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

}  // namespace

absl::StatusOr<std::vector<AliasLine>> ReadAliasCsv(absl::string_view text,
                                                    absl::string_view name) {
  std::vector<AliasLine> aliases;
  int number = 0;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty() || line[0] == '#' || (number == 1 && line == kAliasHeading)) continue;
    const auto cells = CellsOf(line);
    if (!cells.has_value() || cells->size() != 3) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " line ", number, ": got ",
                       cells.has_value() ? absl::StrCat(cells->size(), " cells") : "an open quote",
                       ", want ", kAliasHeading));
    }
    aliases.push_back({.line = number, .alias = {}});
    v1::UserAlias& alias = aliases.back().alias;
    alias.set_source((*cells)[0]);
    alias.set_alias((*cells)[1]);
    alias.set_user((*cells)[2]);
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
