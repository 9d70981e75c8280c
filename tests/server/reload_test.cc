#include "server/reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <string>

#include "tests/server/logging/captured_log.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReloadTest : public testing::Test {
 protected:
  absl::StatusOr<flags::Flags> Read(const std::string& settings) {
    std::ofstream(file_) << settings;
    const std::string config = "--config=" + file_;
    const char* const arguments[] = {"priorityd", config.c_str()};
    return flags::ParseFlags(2, arguments);
  }

  const std::string file_ = testing::TempDir() + "/reload.conf";
  logging::CapturedLog captured_{/*json=*/false};
};

TEST_F(ReloadTest, TheLogLevelChangesAndTheRestNeedsARestart) {
  const auto running = Read("data_dir = /d\ndrain_seconds = 5\n");
  ASSERT_TRUE(running.ok()) << running.status();
  auto level = LogLevelOf(*running);
  level->Read();
  Reload(*running, Read("data_dir = /d\nlog_level = debug\ndrain_seconds = 6\n"), &*level);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::debug);
  EXPECT_THAT(captured_.Take(),
              ElementsAre(HasSubstr("started again: drain_seconds"), HasSubstr("log level debug")));
  Reload(*running, Read("data_dir = /d\ndrain_seconds = 5\n"), &*level);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::info);
  EXPECT_THAT(captured_.Take(), ElementsAre(HasSubstr("log level info")));
}

TEST_F(ReloadTest, AWrongFileChangesNothing) {
  const auto running = Read("data_dir = /d\nlog_level = warn\n");
  auto level = LogLevelOf(*running);
  level->Read();
  captured_.Take();
  Reload(*running, Read("data_dir = /d\nlog_level = loud\n"), &*level);
  EXPECT_EQ(spdlog::get_level(), spdlog::level::warn);
  EXPECT_THAT(captured_.Take(),
              ElementsAre(HasSubstr("not read again: " + file_ + ":2: log_level: ")));
  Reload(*running, Read("data_dir = /d\nlog_level = loud\nlisen = a\n"), &*level);
  EXPECT_THAT(captured_.Take(),
              ElementsAre(HasSubstr("warn, error; " + file_ + ":3: got lisen, want")));
  Reload(*running, Read("data_dir = /d\nlog_level = warn\n"), &*level);
  EXPECT_THAT(captured_.Take(), IsEmpty());
}

}  // namespace
}  // namespace priorityd
