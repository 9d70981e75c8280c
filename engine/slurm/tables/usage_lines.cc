#include "engine/slurm/tables/usage_lines.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/words/line_reader.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

constexpr size_t kCells = 4;

absl::StatusOr<OpeningUsage> ReadLine(absl::string_view text) {
  const auto error = [](absl::string_view field, absl::string_view got, absl::string_view want) {
    return absl::InvalidArgumentError(absl::StrCat(field, "got ", Quoted(got), ", want ", want));
  };
  std::vector<absl::string_view> cells = absl::StrSplit(text, '|');
  if (cells.size() != kCells) return error("", text, "account|user|partition|usage");
  for (absl::string_view& cell : cells) cell = absl::StripAsciiWhitespace(cell);
  if (cells[0].empty()) return error("account: ", "", "a name");
  if (cells[1].empty() && !cells[2].empty()) {
    return error("partition: ", cells[2], "none without a user");
  }
  const std::optional<double> usage = ReadDecimal(cells[3]);
  if (!usage.has_value() || *usage < 0 || *usage > kMaxOpeningUsage) {
    return error("usage: ", cells[3], "a number from 0 to 1e30");
  }
  return OpeningUsage{std::string(cells[0]), std::string(cells[1]), std::string(cells[2]), *usage};
}

}  // namespace

absl::StatusOr<std::vector<OpeningUsage>> ParseUsageLines(const SourceFile& file) {
  FileViolations violations;
  LineReader lines(file, violations);
  std::vector<OpeningUsage> usage;
  absl::flat_hash_map<std::tuple<std::string, std::string, std::string>, int> line_by_name;
  TextLine line;
  while (lines.Next(line)) {
    const absl::string_view text = absl::StripAsciiWhitespace(line.text);
    if (text.empty() || text[0] == '#') continue;
    absl::StatusOr<OpeningUsage> row = ReadLine(text);
    if (!row.ok()) {
      violations.Add(file.name, line.number, row.status().message());
      continue;
    }
    row->line = line.number;
    const auto [first, is_new] =
        line_by_name.emplace(std::tuple(row->account, row->user, row->partition), line.number);
    if (!is_new) {
      violations.Add(
          file.name, line.number,
          absl::StrCat("account: got ", Quoted(text), ", want it only at line ", first->second));
    }
    usage.push_back(*std::move(row));
  }
  if (!violations.empty()) return violations.ToStatus();
  return usage;
}

}  // namespace priorityd::slurm
