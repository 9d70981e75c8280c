#include "engine/slurm/tables/pipe_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::slurm {

PipeTableReader::PipeTableReader(const SourceFile& file, FileViolations& violations,
                                 absl::string_view command)
    : file_(file), violations_(violations), lines_(file, violations) {
  ReadHeader(command);
}

bool PipeTableReader::NextLine(TextLine& line) {
  while (lines_.Next(line)) {
    if (!absl::StripAsciiWhitespace(line.text).empty()) return true;
  }
  return false;
}

void PipeTableReader::ReadHeader(absl::string_view command) {
  TextLine line;
  bool found = NextLine(line);
  if (found && absl::StartsWith(line.text, "CLUSTER:")) {
    cluster_line_ = absl::StripAsciiWhitespace(line.text.substr(line.text.find(':') + 1));
    found = NextLine(line);
  }
  if (!found) {
    violations_.Add(file_.name, 0, "got no lines, want a header line and rows");
    return;
  }
  header_line_ = line.number;
  const absl::string_view header = absl::StripAsciiWhitespace(line.text);
  has_fixed_widths_ = !absl::StrContains(header, '|') && absl::StrContains(header, "  ");
  if (has_fixed_widths_) {
    violations_.Add(file_.name, line.number,
                    absl::StrCat("got a table of fixed widths, which cuts names short, want what `",
                                 command, "` prints"));
  }
  closing_bar_ = absl::ConsumeSuffix(&line.text, "|");
  for (absl::string_view cell : absl::StrSplit(line.text, '|')) {
    const absl::string_view name = absl::StripAsciiWhitespace(cell);
    if (ColumnIndex({name}) >= 0) {
      violations_.Add(file_.name, line.number, absl::StrCat("got column ", Quoted(name), " twice"));
    }
    columns_.push_back(std::string(name));
  }
}

int PipeTableReader::ColumnIndex(std::initializer_list<absl::string_view> names) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [names](const auto& column) {
    return std::any_of(names.begin(), names.end(), [&column](absl::string_view name) {
      return absl::EqualsIgnoreCase(column, name);
    });
  });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

int PipeTableReader::RequiredColumn(absl::string_view name) {
  const int index = ColumnIndex({name});
  if (index < 0 && header_line_ > 0 && !has_fixed_widths_) {
    violations_.Add(file_.name, header_line_,
                    absl::StrCat("got columns ", Quoted(absl::StrJoin(columns_, "|")),
                                 ", want a header line with a column ", name));
  }
  return index;
}

bool PipeTableReader::Next(PipeRow& row) {
  TextLine line;
  while (NextLine(line)) {
    const bool closed = !closing_bar_ || absl::ConsumeSuffix(&line.text, "|");
    row.line = line.number;
    row.cells = absl::StrSplit(line.text, '|');
    if (closed && row.cells.size() == columns_.size()) return true;
    violations_.Add(file_.name, line.number,
                    absl::StrCat("got ", row.cells.size(), " cells, want ", columns_.size(),
                                 " as in the header at line ", header_line_,
                                 closed ? "" : ", and a | at the end"));
  }
  return false;
}

}  // namespace priorityd::slurm
