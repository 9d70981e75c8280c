#include "server/flags/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::flags {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// INVALID_ARGUMENT with the wrong lines of file `f`, if there are any.
absl::StatusOr<std::vector<Setting>> Read(const std::string& text) {
  std::istringstream file(text);
  WrongLines wrong;
  auto settings = ReadSettings(file, &wrong);
  if (!wrong.empty()) return absl::InvalidArgumentError(wrong.Text("f"));
  return settings;
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
      {"\n--listen = x", "f:2: got --listen, want the name of a flag, without dashes"},
      {"[server]", "f:1: got [server], want the name of a flag, without dashes"},
      {"= 7", "f:1: got , want the name of a flag, without dashes"},
      {"listen =", "f:1: listen: got no value, want one"},
      {"data_dir = \"/var\"", "f:1: data_dir: got \"/var\", want the value without quotes"},
      {"data_dir = '/var'", "f:1: data_dir: got '/var', want the value without quotes"},
      {"data_dir = a\x1b", "f:1: data_dir: got a\\x1b, want no control characters"},
  };
  for (const auto& wrong : kWrong) {
    EXPECT_EQ(Read(wrong.text).status().message(), wrong.error);
  }
  EXPECT_TRUE(Read(std::string(kMostSettingsBytes, '\n')).ok());
  EXPECT_FALSE(Read(std::string(kMostSettingsBytes + 1, '\n')).ok());
}

TEST(SettingsFileTest, OfALineThatMayHoldAPasswordOnlyTheNameOfTheFlagIsPrinted) {
  const struct {
    const char* text;
    const char* error;
  } kWrong[] = {
      {"database_url postgresql://amy:Sesame@h/d",
       "f:1: database_url: got no name before the first =, want NAME = VALUE"},
      {"--reports_database_url = postgresql://amy:Sesame@h/d",
       "f:1: reports_database_url: got no name before the first =, want NAME = VALUE"},
      {"database_url: host=h password=Sesame",
       "f:1: database_url: got no name before the first =, want NAME = VALUE"},
      {"listen=a\npostgresql://amy:Sesame@h/d",
       "f:2: a line that may hold a password: got no name before the first =, want NAME = VALUE"},
      {"Sesame password",
       "f:1: a line that may hold a password: got no name before the first =, want NAME = VALUE"},
      {"database_url = 'host=h user=Sesame'",
       "f:1: database_url: got quotes or control characters, want none"},
      {"database_ulr = \"postgresql://amy:Sesame@h/d\"",
       "f:1: database_ulr: got quotes or control characters, want none"},
      {"database_url = Sesame\x1b",
       "f:1: database_url: got quotes or control characters, want none"},
      {"database_url =", "f:1: database_url: got no value, want one"},
  };
  for (const auto& wrong : kWrong) {
    EXPECT_EQ(Read(wrong.text).status().message(), wrong.error);
  }
}

TEST(SettingsFileTest, EveryWrongLineIsNamedInTheOrderOfTheFile) {
  EXPECT_EQ(Read("a = 1\n-b\n# c\nd =\n\n'e'\n").status().message(),
            "f:2: got -b, want the name of a flag, without dashes\n"
            "f:4: d: got no value, want one\n"
            "f:6: got 'e', want the name of a flag, without dashes");
}

TEST(SettingsFileTest, OfManyWrongLinesTheFirstAreNamedAndTheOthersCounted) {
  WrongLines wrong;
  std::string first;
  for (size_t i = kMostWrongLines; i >= 1; --i) {
    wrong.Add(static_cast<int>(i), "w");
    first = absl::StrCat("f:", i, ": w\n", first);
  }
  EXPECT_EQ(absl::StrCat(wrong.Text("f"), "\n"), first);
  for (int line : {300, 100, 200}) wrong.Add(line, "x");
  EXPECT_EQ(wrong.Text("f"), first + "f: 3 more lines that are wrong");
}

TEST(SettingsFileTest, WhatIsWrongIsShortWhateverTheLineHas) {
  WrongLines wrong;
  std::string much(299, 'a');
  for (int i = 0; i < 1000; ++i) much += "\xc3\xbc";
  wrong.Add(1, much);
  EXPECT_EQ(wrong.Text("f"), absl::StrCat("f:1: ", std::string(299, 'a'), "..."));
}

TEST(SettingsFileTest, WhatChangedIsNamedOnce) {
  const auto before = Read("a = 1\nb = 1\nc = 1\nc = 2\nd = 1\n");
  const auto after = Read("d = 1\nc = 2\nc = 1\nb = 2\ne\n");
  EXPECT_THAT(ChangedNames(*before, *after), ElementsAre("a", "b", "c", "e"));
  EXPECT_THAT(ChangedNames(*before, *before), IsEmpty());
}

}  // namespace
}  // namespace priorityd::flags
