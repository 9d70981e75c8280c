#include "server/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<std::vector<Setting>> Read(const std::string& text) {
  std::istringstream file(text);
  return ReadSettings(file);
}

TEST(SettingsFileTest, ALineIsAFlagAndTheRestOfTheLineItsValue) {
  const auto settings = Read(
      "# priorityd\n\n  listen = unix:/run/p/s\nlisten=127.0.0.1:1\t\n insecure\n"
      "database_url = postgresql://h/d?options=-c%20x#y\r\nlast = 1");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(*settings,
              ElementsAre(Setting{3, "listen", "unix:/run/p/s"},
                          Setting{4, "listen", "127.0.0.1:1"}, Setting{5, "insecure", ""},
                          Setting{6, "database_url", "postgresql://h/d?options=-c%20x#y"},
                          Setting{7, "last", "1"}));
  EXPECT_THAT(*Read(""), IsEmpty());
}

TEST(SettingsFileTest, AByteOrderMarkIsNoPartOfTheFirstName) {
  const auto settings = Read("\xEF\xBB\xBFlisten = 127.0.0.1:1\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(*settings, ElementsAre(Setting{1, "listen", "127.0.0.1:1"}));
  EXPECT_FALSE(Read("last = 1\n\xEF\xBB\xBFlisten = 127.0.0.1:1\n").ok());
}

TEST(SettingsFileTest, AnErrorNamesTheLine) {
  const struct {
    const char* text;
    const char* error;
  } kWrong[] = {
      {"\n--listen = x", "line 2: got --listen, want the name of a flag, without dashes"},
      {"[server]", "line 1: got [server], want the name of a flag, without dashes"},
      {"= 7", "line 1: got , want the name of a flag"},
      {"listen =", "line 1: got listen =, want a value"},
      {"data_dir = \"/var\"", "line 1: got \"/var\", want the value without quotes"},
      {"data_dir = '/var'", "want the value without quotes"},
      {"data_dir = a\x1b", "line 1: got a\\x1b, want no control characters"},
  };
  for (const auto& wrong : kWrong) {
    EXPECT_THAT(std::string(Read(wrong.text).status().message()), HasSubstr(wrong.error));
  }
  EXPECT_TRUE(Read(std::string(kMostSettingsBytes, '\n')).ok());
  EXPECT_FALSE(Read(std::string(kMostSettingsBytes + 1, '\n')).ok());
}

TEST(SettingsFileTest, WhatChangedIsNamedOnce) {
  const auto before = Read("a = 1\nb = 1\nc = 1\nc = 2\nd = 1\n");
  const auto after = Read("d = 1\nc = 2\nc = 1\nb = 2\ne\n");
  EXPECT_THAT(ChangedNames(*before, *after), ElementsAre("a", "b", "c", "e"));
  EXPECT_THAT(ChangedNames(*before, *before), IsEmpty());
}

}  // namespace
}  // namespace priorityd
