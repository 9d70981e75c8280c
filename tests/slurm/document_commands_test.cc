// Every command line that the documents print does here what they say, or the table states why
// priorityd does not have it.
#include "tests/slurm/document_commands.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/slurm/document_sites.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

using ::testing::Contains;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::map<std::string, std::string>;

std::string OneBlank(absl::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()), " ");
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) lines.push_back(OneBlank(line));
  return lines;
}

// What a real Slurm printed; `source` is `FILE COMMAND`.
std::string Captured(const std::string& source) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(source, absl::MaxSplits(' ', 1));
  for (const TranscriptEntry& entry : ReadTranscript(parts.first)) {
    if (entry.command == parts.second) return entry.out;
  }
  ADD_FAILURE() << "not captured: " << source;
  return "";
}

// TRES without billing and licenses, which are not among those of nodes and partitions here.
std::string WithoutBilling(const std::string& tres) {
  return absl::StrJoin(absl::StrSplit(tres, ',',
                                      [](absl::string_view item) {
                                        return !absl::StartsWith(item, "billing=") &&
                                               !absl::StartsWith(item, "license/");
                                      }),
                       ",");
}

// The records of `scontrol show`, by their first word. TRESBillingWeights are as written in one and
// per base unit in the other.
std::map<std::string, Words> Records(const std::string& text) {
  std::map<std::string, Words> records;
  for (const absl::string_view paragraph : absl::StrSplit(text, "\n\n", absl::SkipWhitespace())) {
    const std::vector<std::string> words =
        absl::StrSplit(paragraph, absl::ByAnyChar(" \n"), absl::SkipEmpty());
    for (const std::string& word : words) {
      const std::pair<std::string, std::string> sides =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      if (sides.first == "TRESBillingWeights") continue;
      records[words[0]].emplace(sides.first, WithoutBilling(sides.second));
    }
  }
  return records;
}

void ExpectAgrees(const std::string& printed, const std::string& captured) {
  const std::map<std::string, Words> ours = Records(printed);
  for (const auto& [name, theirs] : Records(captured)) {
    ASSERT_TRUE(ours.contains(name)) << name;
    EXPECT_GT(ours.at(name).size(), 10);
    for (const auto& word : ours.at(name)) EXPECT_THAT(theirs, Contains(word)) << name;
  }
}

void Check(const PrintedCheck& check, const std::string& printed) {
  const std::string all = OneBlank(printed);
  if (check.kind == "line") {
    EXPECT_THAT(LinesOf(printed), Contains(check.text));
  } else if (check.kind == "prints") {
    EXPECT_THAT(all, HasSubstr(check.text));
  } else if (check.kind == "lacks") {
    EXPECT_THAT(all, Not(HasSubstr(check.text)));
  } else if (check.kind == "equals") {
    EXPECT_THAT(all, Eq(OneBlank(Captured(check.text))));
  } else if (check.kind == "agrees") {
    ExpectAgrees(printed, Captured(check.text));
  } else {
    ADD_FAILURE() << "got " << check.kind << ", want line, prints, lacks, equals or agrees";
  }
}

void Type(const OurCommand& ours) {
  SCOPED_TRACE(ours.command);
  std::vector<std::string> words = CommandWords(ours.command);
  const std::string tool = words.at(0);
  words.erase(words.begin());
  const Finished run = RunOnDocumentSite(ours.site, tool, words, ours.in);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const PrintedCheck& check : ours.checks) Check(check, run.out);
}

// Whether the record says more than that a job was taken in.
bool TellsWhatIsPrinted(const DocumentCommand& record) {
  return std::any_of(record.here.begin(), record.here.end(), [](const OurCommand& ours) {
    return std::any_of(ours.checks.begin(), ours.checks.end(), [](const PrintedCheck& check) {
      return check.kind != "lacks" && check.text != "1 upserted" && check.text != "1 accepted";
    });
  });
}

TEST(DocumentCommands, EachDoesWhatItsDocumentSays) {
  for (const DocumentCommand& record : ReadDocumentCommands()) {
    SCOPED_TRACE(absl::StrCat(record.document, ": ", record.typed));
    EXPECT_NE(record.here.empty(), record.not_ours.empty()) << "either ours or not";
    EXPECT_TRUE(record.here.empty() || TellsWhatIsPrinted(record));
    for (const OurCommand& ours : record.here) Type(ours);
  }
}

TEST(DocumentCommands, TheTableForReadersHasEachOfThem) {
  std::ifstream file("docs/coming-from-slurm.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const DocumentCommand& record : ReadDocumentCommands()) {
    EXPECT_THAT(text.str(), HasSubstr("`" + record.typed + "`"));
  }
}

}  // namespace
}  // namespace priorityd
