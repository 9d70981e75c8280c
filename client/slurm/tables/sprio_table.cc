#include "client/slurm/tables/sprio_table.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/slurm/tables/slurm_rows.h"

namespace priorityd::tables {
namespace {

constexpr size_t kColumns = 19;
constexpr size_t kFirstFactor = 5;
constexpr size_t kFirstContribution = 12;
constexpr size_t kTresContributions = 18;
constexpr const char* kFactors[] = {"age", "assoc", "fair_share", "job_size", "partition", "qos"};
constexpr char kHeading[] = "JOBID|PARTITION|PRIORITY|";

absl::Status Violation(int64_t line, absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat("sprio line ", line, ": got \"", got,
                                                 "\", want a row of numbers divided by `|`"));
}

// The numbers of a row; 0 = none.
class Numbers {
 public:
  explicit Numbers(const std::vector<absl::string_view>& cells) : cells_(cells) {}

  double At(size_t column) {
    double number = 0;
    const absl::string_view text = absl::StripAsciiWhitespace(cells_[column]);
    if (!text.empty() && !absl::SimpleAtod(text, &number)) wrong_ = true;
    return number;
  }
  bool wrong() const { return wrong_; }

 private:
  const std::vector<absl::string_view>& cells_;
  bool wrong_ = false;
};

}  // namespace

bool SprioRow::IsSetByHand() const {
  if (priority == 0) return false;
  for (const auto& [name, contribution] : contributions) {
    if (contribution != 0 || factors.at(name) != 0) return false;
  }
  for (const auto& [name, contribution] : tres_contributions) {
    if (contribution != 0) return false;
  }
  return true;
}

absl::StatusOr<std::vector<SprioRow>> ReadSprioTable(absl::string_view content) {
  std::vector<SprioRow> rows;
  int64_t line_number = 0;
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    ++line_number;
    if (absl::StripAsciiWhitespace(line).empty() || absl::StartsWith(line, kHeading)) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    if (cells.size() != kColumns) return Violation(line_number, line);
    Numbers numbers(cells);
    SprioRow row;
    row.job_id = std::string(absl::StripAsciiWhitespace(cells[0]));
    row.partition = std::string(absl::StripAsciiWhitespace(cells[1]));
    row.priority = Whole(numbers.At(2));
    row.site = Whole(numbers.At(3));
    row.nice = Whole(numbers.At(4));
    for (size_t i = 0; i < std::size(kFactors); ++i) {
      row.factors[kFactors[i]] = numbers.At(kFirstFactor + i);
      row.contributions[kFactors[i]] = numbers.At(kFirstContribution + i);
    }
    auto tres = ReadTresText(absl::StripAsciiWhitespace(cells[kTresContributions]),
                             /*signed_amounts=*/true);
    if (!tres.ok()) return Violation(line_number, line);
    row.tres_contributions = *std::move(tres);
    if (numbers.wrong() || row.job_id.empty()) return Violation(line_number, line);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace priorityd::tables
