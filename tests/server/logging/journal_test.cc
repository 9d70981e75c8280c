#include "server/logging/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace priorityd::logging {
namespace {

using ::testing::ElementsAre;

TEST(JournalTest, AnEntryHasTheLineAndItsFields) {
  EXPECT_THAT(JournalEntry(spdlog::level::info, "call",
                           {{"method", std::string("RankJobs")},
                            {"rows", int64_t{7}},
                            {"slow", true},
                            {"ms", absl::Microseconds(840)}}),
              ElementsAre("PRIORITY=6", "SYSLOG_IDENTIFIER=priorityd",
                          "MESSAGE=call method=RankJobs rows=7 slow=true ms=0.84",
                          "METHOD=RankJobs", "ROWS=7", "SLOW=true", "MS=0.84"));
  EXPECT_EQ(JournalEntry(spdlog::level::warn, "", {}).front(), "PRIORITY=4");
  EXPECT_EQ(JournalEntry(spdlog::level::err, "", {}).front(), "PRIORITY=3");
  EXPECT_EQ(JournalEntry(spdlog::level::trace, "", {}).front(), "PRIORITY=7");
}

// A newline would end a field and begin one that journald believes.
TEST(JournalTest, ANameCannotForgeAField) {
  EXPECT_THAT(
      JournalEntry(spdlog::level::info, "a\nPRIORITY=0", {{"cluster", std::string("x\n_PID=1")}}),
      ElementsAre("PRIORITY=6", "SYSLOG_IDENTIFIER=priorityd",
                  "MESSAGE=a\\nPRIORITY=0 cluster=\"x\\n_PID=1\"", "CLUSTER=x\\n_PID=1"));
}

}  // namespace
}  // namespace priorityd::logging
