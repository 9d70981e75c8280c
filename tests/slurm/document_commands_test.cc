// Every command line that the documents print does here what they say, or the
// table says why it is not priorityd's.
#include "tests/slurm/document_commands.h"

#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/slurm/captured_site.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

std::string OneBlank(const std::string& text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty()), " ");
}

// Runs a command; what is wrong with it, or nothing.
std::string Wrong(const OurCommand& ours) {
  std::vector<std::string> words = CommandWords(ours.command);
  const std::string tool = words.at(0);
  words.erase(words.begin());
  const Finished run = RunOnCapturedSite(tool, words, ours.in);
  if (run.exit_code != 0) return absl::StrCat(ours.command, ": ", run.err);
  const std::string printed = OneBlank(run.out);
  for (const std::string& piece : ours.prints) {
    if (!absl::StrContains(printed, piece)) {
      return absl::StrCat(ours.command, ": wants \"", piece, "\", prints ", printed);
    }
  }
  return "";
}

// What the record waits for: a tool that prioctl is not yet, or what it says itself.
std::string Awaited(const DocumentCommand& record) {
  for (const OurCommand& ours : record.here) {
    const std::string tool = CommandWords(ours.command).at(0);
    if (!IsThere(tool)) return tool;
  }
  return record.awaits;
}

TEST(DocumentCommands, EachDoesWhatItsDocumentSays) {
  std::set<std::string> awaited;
  for (const DocumentCommand& record : ReadDocumentCommands()) {
    SCOPED_TRACE(absl::StrCat(record.document, ": ", record.typed));
    EXPECT_NE(record.here.empty(), record.not_ours.empty()) << "either ours or not";
    const std::string missing = Awaited(record);
    for (const OurCommand& ours : record.here) {
      const std::string wrong = Wrong(ours);
      if (!missing.empty() && !wrong.empty()) {
        awaited.insert(absl::StrCat(record.typed, " (", missing, ")"));
        break;
      }
      EXPECT_EQ(wrong, "");
    }
  }
  if (!awaited.empty()) GTEST_SKIP() << "not yet here:\n" << absl::StrJoin(awaited, "\n");
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
