#include "engine/slurm/words/unused_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

UnusedSetting Setting(std::string name, UnusedClass unused_class, std::string place = "a line 1") {
  return {.place = std::move(place),
          .name = std::move(name),
          .value = "1",
          .unused_class = unused_class};
}

TEST(UnusedSettingTest, DefaultsAndNothingAreIdle) {
  for (const char* value : {"", " ", "(null)", "no", "None", "N/A", "OFF", "false", "UNLIMITED",
                            "INFINITE", "-1", "0", "00:00:00", "0-00:00"}) {
    EXPECT_TRUE(IsIdleValue(value)) << value;
  }
  for (const char* value : {"YES", "1", "00:00:10", "ALL", "-2", "lua", "n"}) {
    EXPECT_FALSE(IsIdleValue(value)) << value;
  }
}

TEST(UnusedSettingTest, PlacesAreCountedUnderTheFirstAndListedByClassThenName) {
  UnusedSettings settings;
  settings.Add(Setting("Zeta", UnusedClass::kLimits, "a line 7"));
  settings.Add(Setting("Beta", UnusedClass::kNoConsequence));
  settings.Add(Setting("alpha", UnusedClass::kNumbers));
  settings.Add(Setting("ZETA", UnusedClass::kLimits, "a line 9"));
  settings.Add(Setting("gamma", UnusedClass::kLimits));
  const std::vector<UnusedSetting> sorted = settings.Sorted();
  ASSERT_EQ(sorted.size(), 4u);
  EXPECT_EQ(sorted[0].name, "gamma");
  EXPECT_EQ(sorted[1].name, "Zeta");
  EXPECT_EQ(sorted[1].place, "a line 7");
  EXPECT_EQ(sorted[1].places, 2);
  EXPECT_EQ(sorted[2].name, "alpha");
  EXPECT_EQ(sorted[3].name, "Beta");
  EXPECT_EQ(UnusedNames(sorted, UnusedClass::kLimits), "gamma, Zeta (2)");
  EXPECT_EQ(UnusedNames({}, UnusedClass::kLimits), "");
}

TEST(UnusedSettingTest, ALongValueIsCutBetweenCharacters) {
  UnusedSettings settings;
  UnusedSetting setting = Setting("a", UnusedClass::kLimits);
  setting.value = std::string(kMaxUnusedValue - 1, 'x') + "\u00e4\u00e4";
  settings.Add(std::move(setting));
  EXPECT_EQ(settings.Sorted()[0].value, std::string(kMaxUnusedValue - 1, 'x'));
}

TEST(UnusedSettingTest, OnlySettingsThatChangeNumbersHaveToBeAccepted) {
  const std::vector<UnusedSetting> all = {Setting("Limit", UnusedClass::kLimits),
                                          Setting("DefMemPerCPU", UnusedClass::kNumbers),
                                          Setting("Other", UnusedClass::kNumbers)};
  EXPECT_EQ(NotAccepted(all, {}).size(), 2u);
  const std::vector<std::string> one = {"defmempercpu", "Limit"};
  ASSERT_EQ(NotAccepted(all, one).size(), 1u);
  EXPECT_EQ(NotAccepted(all, one)[0].name, "Other");
  const std::vector<std::string> star = {"*"};
  EXPECT_TRUE(NotAccepted(all, star).empty());
}

}  // namespace
}  // namespace priorityd::slurm
