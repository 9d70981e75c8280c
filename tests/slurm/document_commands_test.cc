// Every command line that the documents print does here what they say, or the table states why
// priorityd does not have it.
#include "tests/slurm/document_commands.h"

#include <fstream>
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

TEST(DocumentCommands, EachDoesWhatItsDocumentSays) {
  for (const DocumentCommand& record : ReadDocumentCommands()) {
    SCOPED_TRACE(absl::StrCat(record.document, ": ", record.typed));
    EXPECT_NE(record.here.empty(), record.not_ours.empty()) << "either ours or not";
    for (const OurCommand& ours : record.here) EXPECT_EQ(Wrong(ours), "");
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
