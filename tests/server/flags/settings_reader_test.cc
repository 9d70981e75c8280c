// A configuration file through the parser of the flags.
#include "server/flags/settings_reader.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/flags/flags.h"

namespace priorityd::flags {
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

TEST(SettingsReaderTest, HelpAndVersionAreAnsweredBesideAWrongFile) {
  const std::string config = ConfigOf("lisen = unix:/s\n");
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{config.c_str(), "--help"}, {"--help", config.c_str()}}) {
    const auto help = ParseWith(arguments);
    ASSERT_TRUE(help.ok()) << help.status();
    EXPECT_EQ(help->answer, ParseWith({"--help"})->answer);
  }
  const auto version = ParseWith({config.c_str(), "--version"});
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(version->answer, ParseWith({"--version"})->answer);
}

TEST(SettingsReaderTest, AnErrorInAConfigurationFileNamesItsLine) {
  const struct {
    const char* text;
    const char* error;
  } kWrong[] = {
      {"data_dir = /d\nlisen = unix:/s", ":2: got lisen, want a flag of --help"},
      {"data_dir = /d\ncheck_config", ":2: got check_config, want it on the command line"},
      {"data_dir = /d\nconfig = /x", ":2: got config, want it on the command line"},
      {"data_dir = /d\ndata_dir = /e", ":2: data_dir: got a second value, want one"},
      {"data_dir", ":1: data_dir: got no value, want one"},
      {"data_dir = /d\nlisten = a\nlisten = 1.2.3.4:5", ":2: listen: got a, want HOST:PORT"},
      {"data_dir = /d\n\ndrain_seconds = -1",
       ":3: drain_seconds: got -1, want a whole number of seconds"},
      {"data_dir = /d\nquota = calls=10%\nquota = cals=3", ":3: quota: got cals=3, want NAME=N"},
      {"data_dir = \"/d\"", ":1: data_dir: got \"/d\", want the value without quotes"},
      {"insecure = maybe", ":1: insecure: got maybe, want true or false"},
      {"memory_budget = 1GiB",
       ":1: memory_budget: got 1GiB, want a whole number of MiB from 16 to 16777216"},
      {"socket_mode = rw", ":1: socket_mode: got rw, want octal digits"},
      {"log_level = loud", ":1: log_level: got loud, want one of trace, debug, info, warn, error"},
      {"data_dir = /d\nsite_factor_allow = a:1,/", ":2: site_factor_allow: got /"},
      {"http_metrics_only", ":1: http_metrics_only: got no http_listen, want it too"},
  };
  for (const auto& wrong : kWrong) {
    const std::string config = ConfigOf(wrong.text);
    const auto flags = ParseWith({config.c_str()});
    EXPECT_THAT(std::string(flags.status().message()), HasSubstr(wrong.error));
  }
  EXPECT_THAT(std::string(ParseWith({"--config=/nowhere"}).status().message()),
              HasSubstr("/nowhere"));
  const std::string services = ConfigOf("data_dir = /d\nsite_factor_allow = a:1,b:*\n");
  EXPECT_TRUE(ParseWith({services.c_str()}).ok()) << "each of several values is checked";
  // The command line is wrong here, not the file.
  const std::string config = ConfigOf("data_dir = /d\ndrain_seconds = 5\n");
  const auto flags = ParseWith({config.c_str(), "--drain_seconds=-1"});
  EXPECT_THAT(std::string(flags.status().message()), Not(HasSubstr("priorityd.conf")));
}

TEST(SettingsReaderTest, EveryWrongLineIsNamedInTheOrderOfTheFile) {
  const std::string config = ConfigOf(
      "data_dir = /d\nlisen = unix:/s\n\ndrain_seconds = -1\nlisten = a\nlisten = b\n"
      "quota = cals=3\n[server]\nlog_level = loud\nhttp_metrics_only\ndata_dir = /e\n");
  const std::string file = config.substr(std::string("--config=").size());
  const auto flags = ParseWith({config.c_str()});
  std::vector<std::string> places;
  for (const absl::string_view line : absl::StrSplit(flags.status().message(), '\n')) {
    places.push_back(std::string(line.substr(0, line.find(": got"))));
  }
  EXPECT_THAT(places, ElementsAre(file + ":2", file + ":4: drain_seconds", file + ":5: listen",
                                  file + ":6: listen", file + ":7: quota", file + ":8",
                                  file + ":9: log_level", file + ":10: http_metrics_only",
                                  file + ":11: data_dir"));
}

TEST(SettingsReaderTest, OfManyWrongLinesTwentyAreNamed) {
  std::string text = "data_dir = /d\n";
  for (int i = 0; i < 15; ++i) text += "lisen = a\n[b]\n";
  const auto flags = ParseWith({ConfigOf(text).c_str()});
  const std::vector<std::string> lines = absl::StrSplit(flags.status().message(), '\n');
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_THAT(lines[19], HasSubstr("priorityd.conf:21: got [b], want the name of a flag"));
  EXPECT_THAT(lines[20], HasSubstr("priorityd.conf: 10 more lines that are wrong"));
}

}  // namespace
}  // namespace priorityd::flags
