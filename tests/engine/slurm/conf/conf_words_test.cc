#include "engine/slurm/conf/conf_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/partition_words.h"
#include "engine/slurm/conf/policy_parameter_table.h"
#include "engine/slurm/dump/engine_values.h"
#include "engine/slurm/dump/limit_words.h"

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

std::string ClassText(UnusedClass unused_class) {
  switch (unused_class) {
    case UnusedClass::kLimits:
      return "**Limits or refuses jobs in Slurm, not here**: a warning; an error with `--strict`.";
    case UnusedClass::kNumbers:
      return "**Changes numbers in Slurm, not here**: an error unless `--accept WORD`.";
    case UnusedClass::kNoConsequence:
      return "**Without consequence here**: listed, nothing else.";
  }
  return "";
}

std::string PlaceWord(ConfWordPlace place) {
  switch (place) {
    case ConfWordPlace::kFile:
      return "slurm.conf";
    case ConfWordPlace::kNode:
      return "NodeName";
    case ConfWordPlace::kPartition:
      return "PartitionName";
  }
  return "";
}

void AddRow(absl::string_view names, absl::string_view of, absl::string_view effect,
            std::string* text) {
  absl::StrAppend(text, "| ", names, " | ", of, " | ", effect, " |\n");
}

std::string GeneratedWords() {
  std::string text = "| value | here |\n|---|---|\n";
  for (const ConfValueWord& word : ConfValueWords()) {
    absl::StrAppend(&text, "| `", word.parameter, "=", word.value, "` | ", FateText(word.fate),
                    ": ", word.remark, " |\n");
  }
  for (const UnusedClass unused_class :
       {UnusedClass::kLimits, UnusedClass::kNumbers, UnusedClass::kNoConsequence}) {
    absl::StrAppend(&text, "\n", ClassText(unused_class),
                    "\n\n| words | of | in Slurm |\n|---|---|---|\n");
    for (const UnusedWord& word : UnusedWords()) {
      if (word.unused_class == unused_class)
        AddRow(word.names, PlaceWord(word.place), word.effect, &text);
    }
    for (const UnusedValueWord& word : UnusedValueWords()) {
      const std::string names = word.names == "*" ? "all other words" : std::string(word.names);
      if (word.unused_class == unused_class) AddRow(names, word.parameter, word.effect, &text);
    }
  }
  return text;
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

// Whether a sentence of the docs denies that something has an effect.
bool DeniesEffect(const std::string& sentence) {
  for (const char* words : {"*Later", "not acted on", "not yet acted on", "not act on",
                            "nothing acts on", "kept without effect"}) {
    if (absl::StrContains(sentence, words)) return true;
  }
  return false;
}

bool IsLimit(const std::string& word) {
  std::vector<priority::LimitValue> limits;
  for (const char* value : {"1", "cpu=1"}) {
    AddAssociationLimit(word, value, &limits).IgnoreError();
    AddQosLimit(word, value, &limits).IgnoreError();
  }
  return !limits.empty();
}

// Whether the code acts on what slurm.conf or sacctmgr call `word`.
bool HasEffect(const std::string& word) {
  if (word == "QOS") return false;  // A noun too.
  const auto partition = FindPartitionWord(word);
  return IsLimit(word) || IsQosFlag(word) || FindPolicyParameter(word) != nullptr ||
         (partition.ok() && partition->name == word);
}

// The sentences of a page. Of a row of a table that denies an effect, what its first cell names.
std::vector<std::string> Sentences(const std::string& page) {
  std::string text;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(page, '\n'))) {
    const bool ends = line.empty() || absl::StartsWith(line, "- ") || line[0] == '|';
    absl::StrAppend(&text, ends ? "\n" : " ", line);
  }
  std::vector<std::string> sentences;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    if (absl::StartsWith(part, "|")) {
      sentences.push_back(DeniesEffect(part) ? part.substr(0, part.find('|', 1)) + " *Later" : "");
    } else {
      for (absl::string_view one : absl::StrSplit(part, ". ")) sentences.emplace_back(one);
    }
  }
  return sentences;
}

// The names in sentences of `page` that deny the effect of what they name. A sentence with a
// condition ("where") is true of what has an effect otherwise.
std::vector<std::string> FalselyDenied(const std::string& page) {
  std::vector<std::string> found;
  for (const std::string& sentence : Sentences(page)) {
    if (!DeniesEffect(sentence) || absl::StrContains(sentence, " where ")) continue;
    for (absl::string_view word : absl::StrSplit(sentence, absl::ByAnyChar(" |,/:()`*=."))) {
      if (HasEffect(std::string(word))) found.emplace_back(word);
    }
  }
  return found;
}

TEST(ConfWordsTest, NoPageDeniesTheEffectOfWhatIsActedOn) {
  int pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator("docs")) {
    if (entry.path().extension() != ".md") continue;
    ++pages;
    std::ifstream stream(entry.path());
    const std::string page{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(FalselyDenied(page), testing::IsEmpty()) << entry.path();
  }
  EXPECT_GT(pages, 10);
}

TEST(ConfWordsTest, AFalseDenialIsFound) {
  EXPECT_THAT(FalselyDenied("QOS, State. MinNodes and QOS are kept and not acted on.\n"),
              testing::ElementsAre("MinNodes"));
  EXPECT_THAT(FalselyDenied("| PriorityType | as MaxWall | *Later.* The type |\n| MaxWall | a |\n"),
              testing::ElementsAre("PriorityType"));
  EXPECT_THAT(FalselyDenied("NoReserve, MaxWall and PurgeJobAfter are\nnot acted on"),
              testing::ElementsAre("NoReserve", "MaxWall", "PurgeJobAfter"));
  EXPECT_THAT(FalselyDenied("AllocNodes and UsageFactorSafe are not acted on"), testing::IsEmpty());
}

}  // namespace
}  // namespace priorityd::slurm
