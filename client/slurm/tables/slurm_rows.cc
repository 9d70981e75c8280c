#include "client/slurm/tables/slurm_rows.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/slurm/tables/report_time.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/line_reader.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::tables {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

constexpr absl::string_view kWantTres = "NAME=AMOUNT such as cpu=4 or mem=62.50G";

bool NamesNothing(absl::string_view text) {
  return text.empty() || text == "(null)" || absl::EqualsIgnoreCase(text, "N/A");
}

bool SaysNothing(absl::string_view text) {
  for (const char* nothing :
       {"", "N/A", "(null)", "None", "None assigned", "Unknown", "INVALID", "NOT_SET"}) {
    if (absl::EqualsIgnoreCase(text, nothing)) return true;
  }
  return false;
}

std::string NumberText(double number) {
  return number == std::floor(number) ? absl::StrFormat("%.0f", number)
                                      : absl::StrFormat("%.17g", number);
}

absl::StatusOr<std::vector<SlurmRow>> ReadJson(const std::string& name, absl::string_view content,
                                               const std::vector<JsonColumn>& json_columns) {
  Struct document;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage({content.data(), content.size()}, &document);
  const auto jobs = document.fields().find("jobs");
  if (!parsed.ok() || jobs == document.fields().end() || !jobs->second.has_list_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": got no JSON document with a list `jobs`, as --json prints it"));
  }
  std::vector<SlurmRow> rows;
  for (const Value& job : jobs->second.list_value().values()) {
    rows.emplace_back(absl::StrCat(name, " jobs[", rows.size(), "]"), job.struct_value());
    for (const auto& [column, text] : json_columns) {
      rows.back().Add(column, text(job.struct_value()));
    }
  }
  return rows;
}

absl::Status CheckHeading(const std::string& name, const std::vector<std::string>& heading,
                          const std::vector<std::string>& wanted) {
  for (const std::string& column : wanted) {
    bool found = false;
    for (const absl::string_view one : absl::StrSplit(column, '/')) {
      for (const std::string& title : heading) found |= absl::EqualsIgnoreCase(title, one);
    }
    if (found) continue;
    return absl::InvalidArgumentError(absl::StrCat(name, " line 1: got no column ", column,
                                                   ", want a heading with columns divided by `|`"));
  }
  return absl::OkStatus();
}

// Text that a message can contain.
std::string Utf8Text(absl::string_view text) {
  if (slurm::IsValidUtf8(text)) return std::string(text);
  std::string utf8;
  for (const char letter : text) {
    const auto byte = static_cast<uint8_t>(letter);
    if (byte >= 0x80) utf8 += static_cast<char>(0xC0 | byte >> 6);
    utf8 += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
  }
  return utf8;
}

// The key of a name: see SlurmRow.
std::string KeyOf(absl::string_view name) {
  const bool is_column = std::any_of(name.begin(), name.end(), absl::ascii_isupper);
  return absl::StrCat(is_column ? "" : ".", absl::AsciiStrToLower(name));
}

// `3`, `1.50K`, `2-4`.
std::optional<double> ReadNumber(const std::string& text) {
  const auto unit = [](int power) { return std::ldexp(1.0, 10 * power); };
  constexpr double kMost = 1e18;
  double number = 0;
  if (absl::SimpleAtod(text, &number))
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  const std::pair<std::string, std::string> ends = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const std::optional<double> least = slurm::ReadAmount(ends.first, unit, kMost);
  if (ends.second.empty() && ends.first.size() < text.size()) return std::nullopt;
  if (ends.second.empty() || slurm::ReadAmount(ends.second, unit, kMost).has_value()) return least;
  return std::nullopt;
}

std::vector<std::string> Cells(absl::string_view line) {
  std::vector<std::string> cells;
  for (const absl::string_view cell : absl::StrSplit(line, '|')) {
    cells.push_back(Utf8Text(absl::StripAsciiWhitespace(cell)));
  }
  return cells;
}

}  // namespace

SlurmRow::SlurmRow(std::string place, const Struct& object)
    : place_(std::move(place)), is_json_(true) {
  AddObject("", object);
}

void SlurmRow::AddObject(const std::string& path, const Struct& object) {
  for (const auto& [name, value] : object.fields()) {
    AddValue(path.empty() ? name : absl::StrCat(path, ".", name), value);
  }
}

void SlurmRow::AddValue(const std::string& path, const Value& value) {
  const std::string key = absl::StrCat(".", absl::AsciiStrToLower(path));
  if (value.has_string_value()) texts_[key] = value.string_value();
  if (value.has_number_value()) texts_[key] = NumberText(value.number_value());
  // `["PENDING"]`
  if (value.has_list_value() && !value.list_value().values().empty() &&
      value.list_value().values(0).has_string_value()) {
    texts_[key] = value.list_value().values(0).string_value();
  }
  if (!value.has_struct_value()) return;
  // `{"set": true, "infinite": false, "number": 30}`
  const auto& fields = value.struct_value().fields();
  const auto number = fields.find("number");
  const auto set = fields.find("set");
  if (number != fields.end() && set != fields.end()) {
    const auto infinite = fields.find("infinite");
    if (set->second.bool_value()) AddValue(path, number->second);
    if (infinite != fields.end() && infinite->second.bool_value()) {
      texts_[key] = std::string(kUnlimitedText);
    }
    return;
  }
  AddObject(path, value.struct_value());
}

void SlurmRow::Add(const std::string& name, std::string text) {
  texts_[absl::AsciiStrToLower(name)] = std::move(text);
}

std::string SlurmRow::Text(std::initializer_list<absl::string_view> names) const {
  for (const absl::string_view name : names) {
    const auto found = texts_.find(KeyOf(name));
    if (found != texts_.end() && !SaysNothing(found->second)) return found->second;
  }
  return "";
}

std::string SlurmRow::Name(std::initializer_list<absl::string_view> names) const {
  for (const absl::string_view name : names) {
    const auto found = texts_.find(KeyOf(name));
    if (found != texts_.end() && !NamesNothing(found->second)) return found->second;
  }
  return "";
}

bool SlurmRow::HasColumn(std::initializer_list<absl::string_view> names) const {
  return is_json_ || std::any_of(names.begin(), names.end(), [this](absl::string_view name) {
           return texts_.count(KeyOf(name)) > 0;
         });
}

absl::StatusOr<std::optional<double>> SlurmRow::Number(
    std::initializer_list<absl::string_view> names) const {
  const std::string text = Text(names);
  if (text.empty()) return std::optional<double>();
  const std::optional<double> number = ReadNumber(text);
  if (!number.has_value()) return Violation(*names.begin(), text, "a number");
  return number;
}

absl::StatusOr<double> SlurmRow::NumberOrZero(
    std::initializer_list<absl::string_view> names) const {
  const auto number = Number(names);
  if (!number.ok()) return number.status();
  return number->value_or(0);
}

absl::StatusOr<std::map<std::string, double>> SlurmRow::Tres(
    std::initializer_list<absl::string_view> names) const {
  auto tres = ReadTresText(Text(names));
  if (tres.ok()) return tres;
  return absl::InvalidArgumentError(
      absl::StrCat(place_, ": ", *names.begin(), ": ", tres.status().message()));
}

void TableLosses::Add(const std::string& what, const std::string& place) {
  Loss& loss = losses_[what];
  if (loss.rows++ == 0) loss.first = place;
}

std::vector<std::string> TableLosses::Lines() const {
  std::vector<std::string> lines;
  for (const auto& [what, loss] : losses_) {
    lines.push_back(absl::StrCat(what, ": ", loss.rows, loss.rows == 1 ? " row" : " rows",
                                 ", the first ", loss.first));
  }
  return lines;
}

int64_t Whole(double number) {
  constexpr double kMost = 1e18;
  return numbers::WholePart(std::fmax(-kMost, std::fmin(number, kMost)));
}

absl::StatusOr<std::optional<absl::Time>> SlurmRow::Moment(
    std::initializer_list<absl::string_view> names, absl::TimeZone zone) const {
  const std::string text = Text(names);
  if (text.empty()) return std::optional<absl::Time>();
  int64_t seconds = 0;
  if (absl::SimpleAtoi(text, &seconds)) {
    if (seconds <= 0) return std::optional<absl::Time>();
    return std::optional<absl::Time>(absl::FromUnixSeconds(seconds));
  }
  const absl::StatusOr<absl::Time> time = ParseReportTime(text, absl::UnixEpoch(), zone);
  if (!time.ok()) return Violation(*names.begin(), text, "a time such as 2026-11-20T13:07:11");
  return std::optional<absl::Time>(*time);
}

absl::Status SlurmRow::Violation(absl::string_view what, absl::string_view got,
                                 absl::string_view want) const {
  return absl::InvalidArgumentError(
      absl::StrCat(place_, ": ", what, ": got \"", got, "\", want ", want));
}

absl::StatusOr<std::vector<SlurmRow>> ReadSlurmRows(const std::string& name,
                                                    absl::string_view content,
                                                    const std::vector<std::string>& wanted,
                                                    const std::vector<JsonColumn>& json_columns) {
  absl::ConsumePrefix(&content, "\xEF\xBB\xBF");
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(content), "{")) {
    return ReadJson(name, content, json_columns);
  }
  std::vector<SlurmRow> rows;
  std::vector<std::string> heading;
  int64_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    ++line_number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::vector<std::string> cells = Cells(line);
    if (heading.empty()) {
      heading = cells;
      absl::Status checked = CheckHeading(name, heading, wanted);
      if (!checked.ok()) return checked;
      continue;
    }
    if (cells.size() != heading.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, " line ", line_number, ": got ", cells.size(), " columns, want ", heading.size()));
    }
    std::map<std::string, std::string> texts;
    for (size_t i = 0; i < cells.size(); ++i) {
      // The last of two columns with one name, such as PRIORITY, counts.
      texts[absl::AsciiStrToLower(heading[i])] = cells[i];
    }
    rows.emplace_back(absl::StrCat(name, " line ", line_number), std::move(texts));
  }
  // Slurm's tools print a heading also above no rows: without one the output is not whole.
  if (heading.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": got no text, want a heading with columns divided by `|`"));
  }
  return rows;
}

absl::StatusOr<std::map<std::string, double>> ReadTresText(absl::string_view text,
                                                           bool signed_amounts) {
  std::map<std::string, double> tres;
  for (const absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[1].empty()) return slurm::Unexpected(item, kWantTres);
    absl::string_view value = parts[1];
    const int power = slurm::SuffixPower(value.back());
    if (power > 0) value.remove_suffix(1);
    const bool in_megabytes = parts[0] == "mem" || absl::StartsWith(parts[0], "bb/");
    const std::optional<double> number = slurm::ReadDecimal(value);
    if (!number.has_value() || (*number < 0 && !signed_amounts)) {
      return slurm::Unexpected(item, kWantTres);
    }
    const int base = in_megabytes ? 2 : 0;
    const double amount = power > 0 ? std::ldexp(*number, 10 * (power - base)) : *number;
    const bool is_new = tres.emplace(std::string(parts[0]), amount).second;
    if (!is_new) return slurm::Unexpected(text, absl::StrCat(parts[0], " once"));
  }
  return tres;
}

}  // namespace priorityd::tables
