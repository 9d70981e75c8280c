#include "server/slurm/conf_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/slurm/policy_parameter_table.h"

namespace priorityd::slurm {
namespace {

constexpr char kWordsPage[] = "docs/coming-from-slurm.md";
constexpr char kWordsBegin[] = "<!-- words of slurm.conf, generated: begin -->\n";
constexpr char kWordsEnd[] = "<!-- words of slurm.conf, generated: end -->\n";

std::string FateText(ValueFate fate) {
  switch (fate) {
    case ValueFate::kSame:
      return "without consequence";
    case ValueFate::kLost:
      return "a loss";
    case ValueFate::kRefused:
      return "refused";
    case ValueFate::kActedOn:
      return "acted on";
  }
  return "";
}

std::string GeneratedWords() {
  std::string text = "| value | here |\n|---|---|\n";
  for (const ConfValueWord& word : ConfValueWords()) {
    absl::StrAppend(&text, "| `", word.parameter, "=", word.value, "` | ", FateText(word.fate),
                    ": ", word.remark, " |\n");
  }
  absl::StrAppend(&text, "\nWithout consequence here:");
  size_t column = 100;
  for (const absl::string_view word : ConfWordsWithoutConsequence()) {
    const bool breaks = column + word.size() > 96;
    absl::StrAppend(&text, breaks ? "\n" : " ", word);
    column = (breaks ? 0 : column + 1) + word.size();
  }
  return absl::StrCat(text, "\n");
}

TEST(ConfWordsTest, ThePageHasTheTable) {
  std::ifstream stream(kWordsPage);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const size_t begin = page.find(kWordsBegin);
  const size_t end = page.find(kWordsEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << kWordsPage;
  const size_t from = begin + sizeof(kWordsBegin) - 1;
  EXPECT_EQ(page.substr(from, end - from), GeneratedWords());
}

TEST(ConfWordsTest, NamesAreSortedAndNotActedOn) {
  std::string before;
  for (const absl::string_view word : ConfWordsWithoutConsequence()) {
    const std::string lower = absl::AsciiStrToLower(word);
    EXPECT_LT(before, lower);
    EXPECT_EQ(FindPolicyParameter(word), nullptr) << word;
    before = lower;
  }
}

TEST(ConfWordsTest, WordsOfTheOldestAndTheNewestSlurmAreKnown) {
  for (const char* word : {"CacheGroups", "fastschedule", "SchedulerPort", "CertmgrType",
                           "MetricsType", "PriorityWeightQOS", "Include", "FairTreeTies"}) {
    EXPECT_TRUE(IsConfWord(ConfWordPlace::kFile, word)) << word;
  }
  EXPECT_FALSE(IsConfWord(ConfWordPlace::kFile, "CPUs"));
  EXPECT_TRUE(IsConfWord(ConfWordPlace::kNode, "Procs"));
  EXPECT_TRUE(IsConfWord(ConfWordPlace::kPartition, "Shared"));
  EXPECT_FALSE(IsConfWord(ConfWordPlace::kPartition, "MaxTimes"));
}

}  // namespace
}  // namespace priorityd::slurm
