// A configuration file through the parser of the flags.
#include "server/settings_reader.h"

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/flags.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<Flags> ParseWith(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "priorityd");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

// The path of a configuration file with this text.
std::string ConfigOf(const std::string& text) {
  static const std::string file = testing::TempDir() + "/priorityd.conf";
  std::ofstream(file) << text;
  return "--config=" + file;
}

TEST(SettingsReaderTest, AConfigurationFileHasEachFlagByItsNameAndTheCommandLineOverridesIt) {
  const std::string config = ConfigOf(
      "# a site\ndata_dir = /var/lib/p\nlisten = unix:/run/p/s\nlisten = 127.0.0.1:1\n"
      "drain_seconds = 5\nsocket_mode = 0660\nquota = calls=10%\nquota = watchers=5\n"
      "http_listen = 127.0.0.1:2\nhttp_metrics_only\n");
  const auto flags = ParseWith({config.c_str(), "--drain_seconds=7"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->data_dir, "/var/lib/p");
  EXPECT_THAT(flags->listen, ElementsAre("unix:/run/p/s", "127.0.0.1:1"));
  EXPECT_EQ(flags->drain_seconds, 7);
  EXPECT_EQ(flags->socket_mode, 0660);
  EXPECT_TRUE(flags->http_metrics_only);
  EXPECT_EQ(flags->quotas.Of("calls", 1000), 100u);
  EXPECT_EQ(flags->quotas.Of("watchers", 1000), 5u);
  EXPECT_EQ("--config=" + flags->config_file, config);
  EXPECT_EQ(flags->settings.size(), 9u);
  const auto other = ParseWith({config.c_str(), "--listen=unix:/other", "--check_config"});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_THAT(other->listen, ElementsAre("unix:/other"));
  EXPECT_TRUE(other->check_config);
}

TEST(SettingsReaderTest, AnErrorInAConfigurationFileNamesItsLine) {
  const struct {
    const char* text;
    const char* error;
  } kWrong[] = {
      {"data_dir = /d\nlisen = unix:/s", " line 2: got lisen, want a flag of --help"},
      {"data_dir = /d\ncheck_config", " line 2: got check_config, want it on the command line"},
      {"data_dir = /d\nconfig = /x", " line 2: got config, want it on the command line"},
      {"data_dir = /d\ndata_dir = /e", " line 2: data_dir: got a second value, want one"},
      {"data_dir", " line 1: data_dir: got no value, want one"},
      {"data_dir = /d\nlisten = a\nlisten = 1.2.3.4", " line 2: --listen: got a, want HOST:PORT"},
      {"data_dir = /d\n\ndrain_seconds = -1",
       " line 3: --drain_seconds: got -1, want a whole number of seconds"},
      {"data_dir = /d\nquota = calls=10%\nquota = cals=3", " line 3: --quota: "},
      {"data_dir = \"/d\"", " line 1: got \"/d\", want the value without quotes"},
      {"insecure = maybe", " line 1: --insecure: got maybe, want true or false"},
      {"memory_budget = 1GiB",
       " line 1: --memory_budget: got 1GiB, want a whole number of MiB from 16 to 16777216"},
  };
  for (const auto& wrong : kWrong) {
    const std::string config = ConfigOf(wrong.text);
    const auto flags = ParseWith({config.c_str()});
    EXPECT_THAT(std::string(flags.status().message()), HasSubstr(wrong.error));
  }
  EXPECT_THAT(std::string(ParseWith({"--config=/nowhere"}).status().message()),
              HasSubstr("/nowhere"));
  // The command line is wrong here, not the file.
  const std::string config = ConfigOf("data_dir = /d\ndrain_seconds = 5\n");
  const auto flags = ParseWith({config.c_str(), "--drain_seconds=-1"});
  EXPECT_THAT(std::string(flags.status().message()), Not(HasSubstr(" line ")));
}

}  // namespace
}  // namespace priorityd
