#include "engine/slurm/dump/qos_table_writer.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

std::map<std::string, std::string> CellsOf(const QosRow& row) {
  std::map<std::string, std::string> cells(row.others.begin(), row.others.end());
  cells["Name"] = row.qos.name;
  cells["Priority"] = absl::StrCat(row.qos.priority);
  cells["UsageFactor"] = RoundTripText(row.qos.usage_factor);
  if (row.qos.usage_threshold.has_value()) {
    cells["UsageThres"] = RoundTripText(*row.qos.usage_threshold);
  }
  cells["Preempt"] = absl::StrJoin(row.qos.preempt, ",");
  cells["Flags"] = absl::StrJoin(row.flags, ",");
  if (row.grp_wall.has_value()) cells["GrpWall"] = FormatTimeString(*row.grp_wall);
  cells["GrpTRESMins"] = TresText(row.grp_tres_mins);
  if (row.max_submit_jobs_per_user.has_value()) {
    cells["MaxSubmitPU"] = absl::StrCat(*row.max_submit_jobs_per_user);
  }
  return cells;
}

std::vector<std::string> ColumnsOf(const std::vector<QosRow>& rows) {
  std::vector<std::string> columns = {"Name",  "Priority", "UsageFactor", "UsageThres", "Preempt",
                                      "Flags", "GrpWall",  "GrpTRESMins", "MaxSubmitPU"};
  for (const QosRow& row : rows) {
    for (const auto& [name, value] : row.others) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

std::string Cell(std::string text) {
  for (char& c : text) {
    if (c == '|' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

std::string WriteQosTable(const std::vector<QosRow>& rows) {
  const std::vector<std::string> columns = ColumnsOf(rows);
  std::string text = absl::StrCat(absl::StrJoin(columns, "|"), "\n");
  for (const QosRow& row : rows) {
    std::map<std::string, std::string> cells = CellsOf(row);
    std::vector<std::string> line;
    for (const std::string& column : columns) line.push_back(Cell(cells[column]));
    absl::StrAppend(&text, absl::StrJoin(line, "|"), "\n");
  }
  return text;
}

}  // namespace priorityd::slurm
