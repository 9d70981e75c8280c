#include "server/logging/log_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/server/logging/captured_log.h"

namespace priorityd::logging {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LogLevelTest : public testing::Test {
 protected:
  ~LogLevelTest() override { std::remove(file_.c_str()); }
  void Write(const std::string& text) { std::ofstream(file_) << text; }

  const std::string file_ = testing::TempDir() + "/log_level";
  CapturedLog captured_{/*json=*/false};
  const LogLevel level_{spdlog::level::info, file_};
};

TEST_F(LogLevelTest, IsWhatTheFileSaysByNow) {
  level_.Read();
  EXPECT_EQ(spdlog::get_level(), spdlog::level::info);
  Write("debug\n");
  level_.Read();
  EXPECT_EQ(spdlog::get_level(), spdlog::level::debug);
  Write("error");
  level_.Read();
  EXPECT_EQ(spdlog::get_level(), spdlog::level::err);
  std::remove(file_.c_str());
  level_.Read();
  EXPECT_EQ(spdlog::get_level(), spdlog::level::info);
  EXPECT_THAT(captured_.Take(),
              ElementsAre(HasSubstr("log level debug"), HasSubstr("log level error"),
                          HasSubstr("log level info")));
}

TEST_F(LogLevelTest, StaysWhereTheFileSaysSomethingElse) {
  Write("verbose\n");
  level_.Read();
  EXPECT_EQ(spdlog::get_level(), spdlog::level::info);
  EXPECT_THAT(captured_.Take(), ElementsAre(HasSubstr("got verbose, want trace, debug, info")));
  Write(std::string(1 << 20, 'x'));
  level_.Read();
  EXPECT_LT(captured_.Take().front().size(), 500);
}

}  // namespace
}  // namespace priorityd::logging
