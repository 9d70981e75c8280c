// Tables printed by Slurm's tools with -P and -p: a header line, cells separated by `|`.
#ifndef PRIORITYD_ENGINE_SLURM_TABLES_PIPE_TABLE_H_
#define PRIORITYD_ENGINE_SLURM_TABLES_PIPE_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/line_reader.h"

namespace priorityd::slurm {

// A row of the table.
struct PipeRow {
  int line = 0;
  std::vector<absl::string_view> cells;  // As many as columns; blanks kept.

  // The cell of a column as ColumnIndex gives it; empty for -1.
  absl::string_view cell(int column) const {
    return column < 0 ? absl::string_view() : cells[column];
  }
};

// Reads a table row by row; skips blank lines. If the header ends in `|` (-p), every row does. Adds
// violations: no header, a duplicate column, a row with more or fewer cells, which is skipped.
class PipeTableReader {
 public:
  // Both must outlive the reader and the rows. Reads the header; a header with blanks and without
  // `|` is a violation that asks for the output of `command`.
  PipeTableReader(const SourceFile& file, FileViolations& violations, absl::string_view command);

  // The line before the header, such as `CLUSTER: orc`: the first line if it has no `|` and begins
  // with this prefix; else empty.
  absl::string_view cluster_line() const { return cluster_line_; }

  const std::vector<std::string>& columns() const { return columns_; }
  // The line number of the header; 0 = no header.
  int header_line() const { return header_line_; }

  // Position of the column of any of these names (case-insensitive); -1 = none.
  int ColumnIndex(std::initializer_list<absl::string_view> names) const;
  // As ColumnIndex; -1 is an error that names `name`.
  // Nothing more is said of a table of fixed widths.
  int RequiredColumn(absl::string_view name);

  // The next row; false at the end.
  bool Next(PipeRow& row);

 private:
  bool NextLine(TextLine& line);
  void ReadHeader(absl::string_view command);

  const SourceFile& file_;
  FileViolations& violations_;
  LineReader lines_;
  absl::string_view cluster_line_;
  std::vector<std::string> columns_;
  int header_line_ = 0;
  bool closing_bar_ = false;
  bool has_fixed_widths_ = false;
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_TABLES_PIPE_TABLE_H_
