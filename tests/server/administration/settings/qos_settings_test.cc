#include "server/administration/settings/qos_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/errors/error_details.h"

namespace priorityd::administration {
namespace {

using Op = SettingOperator;

std::string Fields(const absl::Status& status) {
  std::string fields;
  for (const auto& violation : errors::ViolationsOf(status)) fields += violation.field + " ";
  return fields;
}

TEST(QosSettingsTest, WhatIsNotSetStaysToTheBit) {
  storage::Qos qos;
  qos.id = 3;
  qos.cluster_id = 2;
  qos.name = "high";
  qos.priority = 4294967295;
  qos.usage_factor = 1.0 / 3;
  qos.usage_threshold = 0.1;
  qos.flags = {"NoDecay", "OneOfANewerSlurm"};
  qos.preempt = {"low"};
  qos.grp_tres_mins = {{"cpu", 1e15}, {"gres/gpu", 3}};
  qos.grp_wall_minutes = 1000000 + 1.0 / 60;
  qos.max_submit_jobs_per_user = 0;
  qos.other_limits = {{"MaxTRESPerJob", "cpu=1"}, {"Unknown", "x y"}};
  storage::Qos changed = qos;
  ASSERT_TRUE(ApplySettings({{"Priority", Op::kSet, "5"}}, &changed).ok());
  EXPECT_EQ(changed.priority, 5);
  changed.priority = qos.priority;
  changed.grp_wall_minutes = qos.grp_wall_minutes;  // To the second, which Slurm counts by.
  EXPECT_EQ(changed, qos);
}

TEST(QosSettingsTest, ListsAndLimitsChangeByParts) {
  storage::Qos qos;
  ASSERT_TRUE(ApplySettings({{"Flags", Op::kAdd, "nodecay"},
                             {"Flags", Op::kAdd, "DenyOnLimit"},
                             {"Flags", Op::kRemove, "NoDecay"},
                             {"Preempt", Op::kAdd, "low"},
                             {"GrpTRESMins", Op::kSet, "cpu=4"},
                             {"GrpTRESMins", Op::kSet, "node=2"},
                             {"MaxTRESPU", Op::kSet, "cpu=4,node=1"},
                             {"MaxTRESPU", Op::kSet, "cpu=-1"}},
                            &qos)
                  .ok());
  EXPECT_EQ(AttributesOf(qos), (Attributes{{"Priority", "0"},
                                           {"UsageFactor", "1"},
                                           {"Flags", "DenyOnLimit"},
                                           {"Preempt", "low"},
                                           {"GrpTRESMins", "cpu=4,node=2"},
                                           {"MaxTRESPU", "node=1"}}));
}

TEST(QosSettingsTest, MinusOneClearsWhateverTheWord) {
  storage::Qos qos;
  qos.priority = 7;
  qos.usage_threshold = 0.5;
  qos.flags = {"NoDecay"};
  qos.other_limits = {{"MaxWall", "1:00"}};
  ASSERT_TRUE(ApplySettings({{"Priority", Op::kSet, "-1"},
                             {"UsageThreshold", Op::kSet, "-1"},
                             {"Flags", Op::kSet, "-1"},
                             {"MaxWall", Op::kSet, "-1"}},
                            &qos)
                  .ok());
  EXPECT_EQ(AttributesOf(qos), AttributesOf(storage::Qos()));
}

TEST(QosSettingsTest, EachWrongSettingIsNamedAndNothingIsSet) {
  storage::Qos qos;
  const absl::Status status = ApplySettings({{"Priority", Op::kSet, "9"},
                                             {"Colour", Op::kSet, "red"},
                                             {"Priority", Op::kAdd, "1"},
                                             {"UsageFactor", Op::kSet, "x"}},
                                            &qos);
  EXPECT_EQ(Fields(status), "settings[1].name settings[2].operator settings[3].value ");
  EXPECT_EQ(qos, storage::Qos());
}

storage::Qos Preempting(const char* name, std::vector<std::string> preempt) {
  storage::Qos qos;
  qos.name = name;
  qos.preempt = std::move(preempt);
  return qos;
}

TEST(QosSettingsTest, AQosPreemptsNeitherItselfNorWhatIsNotThere) {
  const auto a = Preempting("a", {"b"});
  EXPECT_TRUE(CheckPreempt({a, Preempting("b", {"c"}), Preempting("c", {})}, {"a", "b"}).ok());
  EXPECT_FALSE(CheckPreempt({a, Preempting("b", {"c"}), Preempting("c", {"a"})}, {"c"}).ok());
  EXPECT_FALSE(CheckPreempt({a, Preempting("b", {"b"})}, {"b"}).ok());
  EXPECT_FALSE(CheckPreempt({a}, {"a"}).ok());
  // What was so before is nobody's fault now.
  EXPECT_TRUE(CheckPreempt({a, Preempting("d", {})}, {"d"}).ok());
}

}  // namespace
}  // namespace priorityd::administration
