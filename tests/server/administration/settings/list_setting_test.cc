#include "server/administration/settings/list_setting.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::administration {
namespace {

TEST(ListSettingTest, NamesAreSetAddedAndTakenAway) {
  using Op = SettingOperator;
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kSet, "c,d"}), "c,d");
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kAdd, "c,b"}), "a,b,c");
  EXPECT_EQ(ChangedNames("a,b,c", {"QOS", Op::kRemove, "B,x"}), "a,c");
  EXPECT_EQ(ChangedNames("", {"QOS", Op::kAdd, "a"}), "a");
  EXPECT_EQ(ChangedNames("a,b", {"QOS", Op::kSet, "-1"}), "");
  EXPECT_EQ(ChangedNames("a", {"QOS", Op::kSet, ""}), "");
}

TEST(ListSettingTest, OfLimitsThoseThatAreNotNamedStay) {
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "node=3,gres/gpu=1"), "cpu=4,node=3,gres/gpu=1");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "CPU=-1"), "node=2");
  EXPECT_EQ(ChangedLimits("cpu=4", "mem=-1"), "cpu=4");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", "-1"), "");
  EXPECT_EQ(ChangedLimits("cpu=4,node=2", ""), "");
}

struct NamedWord {
  absl::string_view name;
  bool is_list = false;
};

TEST(ListSettingTest, AnEarlierSettingIsNotReplaced) {
  using Op = SettingOperator;
  const auto find = [](absl::string_view name) -> absl::StatusOr<NamedWord> {
    return NamedWord{name == "state" ? "State" : name, name == "QOS"};
  };
  std::string set;
  const auto add = [&](absl::string_view name, bool, const Setting& setting) {
    absl::StrAppend(&set, name, "=", setting.value, " ");
  };
  std::map<std::string, size_t> places;
  const absl::Status status = ForEachSetting({{"State", Op::kSet, "UP"},
                                              {"QOS", Op::kSet, "a"},
                                              {"QOS", Op::kAdd, "b"},
                                              {"state", Op::kSet, "DOWN"},
                                              {"QOS", Op::kSet, "c"}},
                                             find, add, &places);
  EXPECT_EQ(set, "State=UP QOS=a QOS=b ");
  EXPECT_EQ(errors::ViolationsOf(status),
            (std::vector<errors::FieldViolation>{
                {"settings[3].name", "got State a second time, want it once"},
                {"settings[4].name", "got QOS a second time, want it once"}}));
}

}  // namespace
}  // namespace priorityd::administration
