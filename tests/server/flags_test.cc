#include "server/flags.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "version.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<Flags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "priorityd");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(FlagsTest, ADatabaseIsEnough) {
  const auto flags = Parse({"--data_dir=/var/lib/priorityd"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->data_dir, "/var/lib/priorityd");
  EXPECT_EQ(flags->database_url, "");
  EXPECT_EQ(flags->listen, "127.0.0.1:7411");
  EXPECT_FALSE(flags->json_log);
  EXPECT_EQ(flags->answer, "");
}

TEST(FlagsTest, TheVersionIsThatOfTheRelease) {
  const auto flags = Parse({"--version"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->answer, std::string("priorityd ") + kVersion + "\n");
}

TEST(FlagsTest, HelpNamesEveryFlag) {
  const auto flags = Parse({"--help"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  for (const char* flag :
       {"--data_dir", "--database_url", "--listen", "--log_format", "--max_message_mib",
        "--max_jobs", "--max_records", "--drain_seconds", "--max_staleness", "--max_commit",
        "--max_clock_offset", "--history_interval", "--history_days"}) {
    EXPECT_THAT(flags->answer, HasSubstr(flag));
  }
}

struct WrongFlags {
  std::vector<const char*> arguments;
  const char* message;
};

class WrongFlagsTest : public ::testing::TestWithParam<WrongFlags> {};

TEST_P(WrongFlagsTest, AreToldInOneLine) {
  const auto flags = Parse(GetParam().arguments);
  ASSERT_EQ(flags.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(flags.status().message()), HasSubstr(GetParam().message));
  EXPECT_THAT(std::string(flags.status().message()), HasSubstr("(see priorityd --help)"));
  EXPECT_THAT(std::string(flags.status().message()), Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongFlagsTest,
    ::testing::Values(WrongFlags{{}, "got neither, want one of them"},
                      WrongFlags{{"--data_dir=a", "--database_url=b"}, "got both, want one"},
                      WrongFlags{{"--data_dir=a", "--log_format=xml"}, "--log_format"},
                      WrongFlags{{"--data_dir=a", "--max_staleness=10"}, "--max_staleness"},
                      WrongFlags{{"--data_dir=a", "--max_clock_offset=0"}, "--max_clock_offset"},
                      WrongFlags{{"--data_dir=a", "--history_days=0"}, "--history_days"},
                      WrongFlags{{"--data_dir=a", "--colour"}, "--colour"}));

}  // namespace
}  // namespace priorityd
