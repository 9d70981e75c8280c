#include "server/gateway/slurm_settings.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using Pointer = Json::json_pointer;

v1::Association SomeAssociation() {
  v1::Association association;
  association.set_id(7);
  association.set_account("a");
  association.set_user("amy");
  association.set_parent_account("a");
  auto& words = *association.mutable_attributes();
  words["Fairshare"] = "40";
  words["MaxJobs"] = "3";
  words["GrpWall"] = "1-02:00:00";
  words["GrpTRESMins"] = "cpu=1000,gres/gpu:a100=60";
  words["QOS"] = "normal,high";
  (*association.mutable_inherited())["MaxSubmitJobs"] = "9";
  (*association.mutable_inherited())["MaxJobs"] = "50";
  (*association.mutable_inherited())["DefaultQOS"] = "normal";
  return association;
}

TEST(SlurmSettingsTest, AnAssociationHasWhatIsSetWhereSlurmrestdHasIt) {
  const Json row = AssociationShape(42, "c", SomeAssociation(), true);
  EXPECT_EQ(row["shares_raw"], 40);
  EXPECT_EQ(row["user"], "amy");
  EXPECT_EQ(row["parent_account"], "");
  EXPECT_EQ(row["qos"], Json::array({"normal", "high"}));
  EXPECT_EQ(row["max"]["jobs"]["active"], SetNumber(3));
  EXPECT_EQ(row["max"]["per"]["account"]["wall_clock"], SetNumber(26 * 60));
  EXPECT_EQ(row["max"]["tres"]["group"]["minutes"],
            Json::parse(R"([{"type":"cpu","name":"","id":1,"count":1000},
                            {"type":"gres","name":"gpu:a100","id":0,"count":60}])"));
  // What nobody has set is no limit.
  EXPECT_EQ(row["max"]["jobs"]["per"]["count"], InfiniteNumber());
  EXPECT_EQ(row["max"]["tres"]["per"]["job"], Json::array());
}

TEST(SlurmSettingsTest, WhatIsInheritedIsThereUnlessItIsNotWanted) {
  const Json with = AssociationShape(42, "c", SomeAssociation(), true);
  EXPECT_EQ(with["max"]["jobs"]["total"], SetNumber(9));
  EXPECT_EQ(with["max"]["jobs"]["active"], SetNumber(3));  // Its own.
  EXPECT_EQ(with["default"]["qos"], "normal");
  const Json without = AssociationShape(42, "c", SomeAssociation(), false);
  EXPECT_EQ(without["max"]["jobs"]["total"], InfiniteNumber());
  EXPECT_EQ(without["default"]["qos"], "");
}

TEST(SlurmSettingsTest, AnIdIsAnObjectInTheOldestVersionOnly) {
  EXPECT_EQ(AssociationShape(41, "c", SomeAssociation(), true)["id"], 7);
  EXPECT_EQ(AssociationShape(40, "c", SomeAssociation(), true)["id"],
            Json::parse(R"({"account":"a","cluster":"c","partition":"","user":"amy","id":7})"));
}

TEST(SlurmSettingsTest, ParentSharesAreTheNumberThatSlurmHasForThem) {
  v1::Association association = SomeAssociation();
  (*association.mutable_attributes())["Fairshare"] = "parent";
  EXPECT_EQ(AssociationShape(42, "c", association, true)["shares_raw"], 2147483647);
}

TEST(SlurmSettingsTest, AQosHasWhatIsSetWhereSlurmrestdHasIt) {
  v1::Qos qos;
  qos.set_id(3);
  qos.set_name("high");
  auto& words = *qos.mutable_attributes();
  words["Description"] = "urgent";
  words["Priority"] = "1000";
  words["UsageFactor"] = "2.5";
  words["Flags"] = "DenyOnLimit,NoDecay";
  words["Preempt"] = "normal,low";
  words["PreemptMode"] = "requeue";
  words["PreemptExemptTime"] = "00:05:00";
  words["GraceTime"] = "00:02:00";
  words["MaxWall"] = "1-00:00:00";
  words["MaxTRESPU"] = "cpu=128";
  words["MaxJobsPU"] = "4";
  words["GrpSubmit"] = "100";
  words["UsageThres"] = "0.25";
  const Json row = QosShape(qos);
  EXPECT_EQ(row["id"], 3);
  EXPECT_EQ(row["description"], "urgent");
  EXPECT_EQ(row["flags"], Json::array({"DENY_LIMIT", "NO_DECAY"}));
  EXPECT_EQ(row["priority"], SetNumber(1000));
  EXPECT_EQ(row["usage_factor"], SetNumber(2.5));
  EXPECT_EQ(row["usage_threshold"], SetNumber(0.25));
  EXPECT_EQ(row["preempt"]["list"], Json::array({"normal", "low"}));
  EXPECT_EQ(row["preempt"]["mode"], Json::array({"REQUEUE"}));
  EXPECT_EQ(row["preempt"]["exempt_time"], SetNumber(300));
  EXPECT_EQ(row["limits"]["grace_time"], 120);
  words["GraceTime"] = "90";
  EXPECT_EQ(QosShape(qos)["limits"]["grace_time"], 90) << "seconds, as sacctmgr takes them";
  const Json& max = row["limits"]["max"];
  EXPECT_EQ(max["wall_clock"]["per"]["job"], SetNumber(24 * 60));
  EXPECT_EQ(max["tres"]["per"]["user"][0]["count"], 128);
  EXPECT_EQ(max["jobs"]["active_jobs"]["per"]["user"], SetNumber(4));
  EXPECT_EQ(max["jobs"]["count"], SetNumber(100));
  EXPECT_EQ(max["wall_clock"]["per"]["qos"], InfiniteNumber());
}

TEST(SlurmSettingsTest, AQosThatPreemptsNobodySaysSo) {
  v1::Qos qos;
  qos.set_name("normal");
  EXPECT_EQ(QosShape(qos)["preempt"]["mode"], Json::array({"DISABLED"}));
  EXPECT_EQ(QosShape(qos)["preempt"]["list"], Json::array());
  EXPECT_EQ(QosShape(qos)["limits"]["grace_time"], 0);
}

}  // namespace
}  // namespace priorityd::gateway
