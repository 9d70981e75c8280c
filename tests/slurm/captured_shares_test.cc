// The site that was built in a real Slurm moves in by its dump, and sshare prints
// what Slurm's printed: every option captured, every column, every row.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/slurm/captured_site.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// The places where the columns of a fixed-width table begin, from the line of dashes.
std::vector<size_t> ColumnStarts(absl::string_view dashes) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < dashes.size(); ++i) {
    if (dashes[i] == '-' && (i == 0 || dashes[i - 1] == ' ')) starts.push_back(i);
  }
  return starts;
}

std::vector<std::string> FixedCells(absl::string_view line, const std::vector<size_t>& starts) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : line.size();
    if (starts[i] <= line.size()) cells.emplace_back(line.substr(starts[i], end - starts[i]));
  }
  return cells;
}

// The cells with their blanks; a text that is no table is one cell a line.
Rows Cells(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::vector<size_t> starts;
  if (lines.size() > 1 && absl::StartsWith(lines[1], "---")) starts = ColumnStarts(lines[1]);
  Rows rows;
  for (const std::string& line : lines) {
    rows.push_back(starts.empty() ? std::vector<std::string>(absl::StrSplit(line, '|'))
                                  : FixedCells(line, starts));
  }
  return rows;
}

std::string Stripped(const std::string& cell) {
  return std::string(absl::StripAsciiWhitespace(cell));
}

// What a row has in a column, without blanks; empty without such a column.
std::string At(const Rows& rows, size_t row, absl::string_view column) {
  for (size_t i = 0; i < std::min(rows[0].size(), rows[row].size()); ++i) {
    if (Stripped(rows[0][i]) == column) return Stripped(rows[row][i]);
  }
  return "";
}

// Where priorityd differs by intent: NormShares of root is 1 (Slurm: 0), an id is the
// service's own, and TRESRunMins and GrpTRESRaw list only TRES that are known here.
bool IsOwn(const std::string& column, const Rows& rows, size_t row) {
  if (column == "TRESRunMins" || column == "GrpTRESRaw" || column == "ID") return true;
  return column == "NormShares" && At(rows, row, "Account") == "root" &&
         At(rows, row, "User").empty();
}

// Associations of one user in one account: which is shown first is not said.
void SortPartitions(Rows& rows) {
  for (size_t first = 1; first < rows.size();) {
    const auto key = [&](size_t row) {
      return std::pair(At(rows, row, "Account"), At(rows, row, "User"));
    };
    size_t end = first + 1;
    while (end < rows.size() && key(end) == key(first)) ++end;
    std::sort(rows.begin() + first, rows.begin() + end);
    first = end;
  }
}

void ExpectSameCells(Rows got, Rows want) {
  SortPartitions(got);
  SortPartitions(want);
  ASSERT_EQ(got.size(), want.size());
  for (size_t row = 0; row < want.size(); ++row) {
    ASSERT_EQ(got[row].size(), want[row].size()) << "row " << row;
    for (size_t column = 0; column < want[row].size(); ++column) {
      const std::string name = Stripped(want[0][column]);
      if (row > 0 && IsOwn(name, want, row)) continue;
      EXPECT_EQ(got[row][column], want[row][column]) << "row " << row << ", " << name;
    }
  }
}

// The two lines above the table that `sshare -a` prints.
std::string Header(const std::vector<TranscriptEntry>& entries) {
  for (const TranscriptEntry& entry : entries) {
    if (entry.command != "sshare -a") continue;
    const std::vector<std::string> lines = absl::StrSplit(entry.out, '\n');
    return absl::StrCat(lines[0], "\n", lines[1], "\n");
  }
  return "";
}

// Without these sshare shows the calling user's: root's, when it was captured.
bool NamesUsers(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "-a" || word == "-u"; });
}

TEST(CapturedShares, EveryOptionPrintsWhatSlurmsSsharePrinted) {
  const std::vector<TranscriptEntry> entries = ReadTranscript("sshare.txt");
  size_t compared = 0;
  for (const TranscriptEntry& entry : entries) {
    SCOPED_TRACE(entry.command);
    std::vector<std::string> words = CommandWords(entry.command);
    words.erase(words.begin());
    const std::string option = words.empty() ? "" : words[0];
    // The version is another; -M of one cluster names it in a line of its own in Slurm.
    if (option == "-V" || option == "-M") continue;
    if (!NamesUsers(words)) words.insert(words.end(), {"-u", "root"});
    const Finished run = RunOnCapturedSite("sshare", words);
    EXPECT_EQ(run.exit_code, entry.status) << run.err;
    // A table without a header has columns all the same.
    const std::string header = option == "-n" ? Header(entries) : "";
    ExpectSameCells(Cells(header + run.out), Cells(header + entry.out));
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace priorityd
