#include "engine/slurm/dump/qos_table.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/dump/qos_cells.h"
#include "engine/slurm/dump/qos_words.h"
#include "engine/slurm/dump/unused_options.h"
#include "engine/slurm/tables/pipe_table.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {
namespace {

// The columns by their usual names; a duplicate, possibly under two names, is an error.
std::vector<std::string> ColumnNames(const PipeTableReader& table, const SourceFile& file,
                                     FileViolations& violations) {
  std::vector<std::string> names;
  for (const std::string& column : table.columns()) {
    std::string name = QosColumnName(column);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      violations.Add(file.name, table.header_line(),
                     absl::StrCat("got column ", Quoted(name), " twice"));
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

bool QosTable::HasColumn(absl::string_view name) const {
  return std::any_of(columns.begin(), columns.end(), [name](const std::string& column) {
    return absl::EqualsIgnoreCase(column, name);
  });
}

std::vector<std::string> TakeFlagLosses(absl::string_view place, QosRow& row) {
  std::vector<std::string> losses;
  for (const std::string& flag : TakeUnknownFlags(row)) {
    losses.push_back(absl::StrCat(place, ": Flags: got ", Quoted(flag),
                                  ", which no Slurm from 14.11 to 25.11 has; ignored"));
  }
  return losses;
}

std::vector<std::string> TakeColumnLosses(absl::string_view place, QosRow& row) {
  std::vector<std::string> losses;
  const auto take = [&](const std::pair<std::string, std::string>& other) {
    const std::optional<std::string> meant = MistypedQosWord(other.first);
    if (meant.has_value() && !IsIdleValue(other.second)) {
      losses.push_back(absl::StrCat(place, ": ", other.first, ": got an unknown word of a QOS",
                                    meant->empty() ? "" : absl::StrCat(", want ", *meant),
                                    "; ignored"));
    }
    return meant.has_value();
  };
  row.others.erase(std::remove_if(row.others.begin(), row.others.end(), take), row.others.end());
  return losses;
}

absl::StatusOr<QosTable> ParseQosTable(const SourceFile& file) {
  FileViolations violations;
  PipeTableReader reader(file, violations, "sacctmgr -P show qos");
  QosTable table;
  table.columns = ColumnNames(reader, file, violations);
  if (reader.RequiredColumn("Name") < 0) return violations.ToStatus();
  absl::flat_hash_map<std::string, int> line_by_name;
  PipeRow cells;
  while (reader.Next(cells)) {
    QosRow row;
    for (size_t i = 0; i < cells.cells.size(); ++i) {
      const absl::Status status = ReadQosCell(table.columns[i], cells.cells[i], row);
      if (!status.ok()) {
        violations.Add(file.name, cells.line,
                       absl::StrCat(table.columns[i], ": ", status.message()));
      }
    }
    const auto [first, is_new] = line_by_name.emplace(row.qos.name, cells.line);
    if (row.qos.name.empty()) {
      violations.Add(file.name, cells.line, "Name: got \"\", want a name");
    } else if (!is_new) {
      violations.Add(file.name, cells.line,
                     absl::StrCat("Name: got ", Quoted(row.qos.name),
                                  " again, want it only at line ", first->second));
    }
    for (std::string& loss : TakeFlagLosses(PlaceText(file.name, cells.line), row)) {
      table.losses.push_back(std::move(loss));
    }
    for (std::string& loss : TakeColumnLosses(PlaceText(file.name, reader.header_line()), row)) {
      if (absl::c_linear_search(table.losses, loss)) continue;  // Once for a column.
      table.losses.push_back(std::move(loss));
    }
    table.rows.push_back(std::move(row));
  }
  if (!violations.empty()) return violations.ToStatus();
  LimitWarnings(table.losses);
  return table;
}

}  // namespace priorityd::slurm
