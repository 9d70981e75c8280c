#include "server/gateway/slurm_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using ::testing::IsSupersetOf;
using ::testing::Pair;

constexpr char kNumber[] = "number with flags";

// `{"set":...,"infinite":...,"number":...}` and nothing else.
bool IsFlagged(const Json& value) {
  return value.is_object() && value.size() == 3 && value.contains("set") &&
         value["set"].is_boolean() && value["infinite"].is_boolean() && value["number"].is_number();
}

// Each field by its path, with the type that it has.
void Collect(const std::string& path, const Json& value, std::map<std::string, std::string>* all) {
  if (IsFlagged(value)) {
    (*all)[path] = kNumber;
  } else if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) Collect(path + "/" + name, inner, all);
  } else if (value.is_array() && !value.empty()) {
    Collect(path + "[]", value[0], all);
  } else {
    (*all)[path] = value.is_number_integer() ? "integer" : value.type_name();
  }
}

std::map<std::string, std::string> TypesOf(const Json& row) {
  std::map<std::string, std::string> types;
  Collect("", row, &types);
  return types;
}

v1::AssociationShare SomeShare() {
  v1::AssociationShare share;
  share.set_association_id(7);
  share.set_account("a");
  share.set_user("amy");
  share.set_raw_shares(10);
  share.set_norm_shares(0.25);
  share.set_raw_usage(1234.75);
  share.set_norm_usage(0.5);
  share.set_effective_usage(0.125);
  share.set_level_fs(2);
  share.set_fair_share(0.75);
  (*share.mutable_tres_run_mins())["cpu"] = 2.5;
  (*share.mutable_grp_tres_mins())["cpu"] = 1000;
  (*share.mutable_tres_usage())["cpu"] = 60.5;
  return share;
}

// The types are those that slurmrestd's OpenAPI of v0.0.40 and v0.0.42 gives the fields.
TEST(SlurmShapesTest, AShareHasTheFieldsOfTheVersionAskedFor) {
  const std::map<std::string, std::string> always = {{"/id", "integer"},
                                                     {"/cluster", "string"},
                                                     {"/name", "string"},
                                                     {"/parent", "string"},
                                                     {"/partition", "string"},
                                                     {"/shares_normalized", kNumber},
                                                     {"/shares", kNumber},
                                                     {"/tres/run_seconds[]/name", "string"},
                                                     {"/tres/run_seconds[]/value", kNumber},
                                                     {"/tres/group_minutes[]/name", "string"},
                                                     {"/tres/group_minutes[]/value", kNumber},
                                                     {"/tres/usage[]/name", "string"},
                                                     {"/tres/usage[]/value", "number"},
                                                     {"/usage_normalized", kNumber},
                                                     {"/usage", "integer"},
                                                     {"/type[]", "string"}};
  for (const auto& [version, number] : std::map<int, std::string>{
           {40, "number"}, {41, "number"}, {42, kNumber}, {43, kNumber}, {44, kNumber}}) {
    std::map<std::string, std::string> want = always;
    want["/effective_usage"] = want["/fairshare/factor"] = want["/fairshare/level"] = number;
    EXPECT_EQ(TypesOf(ShareShape(version, "c", SomeShare())), want) << version;
  }
}

TEST(SlurmShapesTest, AShareHasSsharesNumbers) {
  const Json row = ShareShape(40, "c", SomeShare());
  EXPECT_EQ(row["name"], "amy");
  EXPECT_EQ(row["parent"], "a");
  EXPECT_EQ(row["type"], Json::array({"USER"}));
  EXPECT_EQ(row["shares"]["number"], 10);
  EXPECT_EQ(row["usage"], 1234);  // Cut off, as sshare cuts it off.
  EXPECT_EQ(row["tres"]["run_seconds"][0]["value"]["number"], 150);
  EXPECT_EQ(row["tres"]["usage"][0]["value"], 60.5);
  EXPECT_EQ(row["fairshare"]["level"], 2);
}

TEST(SlurmShapesTest, AUsageBeyond64BitsIsTheLargestInteger) {
  v1::AssociationShare share = SomeShare();
  share.set_raw_usage(3e19);
  EXPECT_EQ(ShareShape(40, "c", share)["usage"], std::numeric_limits<int64_t>::max());
}

TEST(SlurmShapesTest, AnAccountOfFairTreeHasNoFactorAndAnUnusedOneAnInfiniteLevel) {
  v1::AssociationShare share = SomeShare();
  share.clear_user();
  share.clear_fair_share();
  share.clear_level_fs();
  share.set_level_fs_infinite(true);
  share.set_parent_account("root");
  EXPECT_EQ(ShareShape(42, "c", share)["fairshare"],
            (Json{{"factor", UnsetNumber()}, {"level", InfiniteNumber()}}));
  EXPECT_EQ(ShareShape(40, "c", share)["fairshare"],
            (Json{{"factor", 0.0}, {"level", std::numeric_limits<double>::max()}}));
  EXPECT_EQ(ShareShape(40, "c", share)["parent"], "root");
  EXPECT_EQ(ShareShape(40, "c", share)["type"], Json::array({"ASSOCIATION"}));
}

TEST(SlurmShapesTest, ParentSharesAreTheNumberThatSlurmHasForThem) {
  v1::AssociationShare share;
  share.set_account("a");
  share.set_parent_shares(true);
  EXPECT_EQ(ShareShape(42, "c", share)["shares"], SetNumber(2147483647));
}

v1::TrackedJob SomeJob(const std::string& id) {
  v1::TrackedJob tracked;
  v1::Job& job = *tracked.mutable_job();
  job.set_job_id(id);
  job.set_user("amy");
  job.set_name("train");
  tracked.set_account("a");
  tracked.add_partitions("p1");
  tracked.add_partitions("p2");
  tracked.add_qos("normal");
  job.set_nice(-5);
  job.set_cpus(2.5);
  job.set_nodes(2);
  (*job.mutable_tres())["mem"] = 2048;
  (*job.mutable_tres())["license/matlab"] = 3;
  job.mutable_submit_time()->set_seconds(1000);
  job.mutable_time_limit()->set_seconds(61);
  tracked.set_priority(4294967295);
  tracked.set_reason("Priority");
  tracked.set_reason_text("2 jobs stand before it");
  return tracked;
}

TEST(SlurmShapesTest, AJobHasTheFieldsThatSlurmrestdHas) {
  EXPECT_THAT(TypesOf(JobShape("c", SomeJob("17"))),
              IsSupersetOf({Pair("/account", "string"),      Pair("/accrue_time", kNumber),
                            Pair("/array_job_id", kNumber),  Pair("/array_max_tasks", kNumber),
                            Pair("/array_task_id", kNumber), Pair("/array_task_string", "string"),
                            Pair("/cluster", "string"),      Pair("/cpus", kNumber),
                            Pair("/dependency", "string"),   Pair("/eligible_time", kNumber),
                            Pair("/end_time", kNumber),      Pair("/hold", "boolean"),
                            Pair("/job_id", "integer"),      Pair("/job_state[]", "string"),
                            Pair("/licenses", "string"),     Pair("/name", "string"),
                            Pair("/nice", "integer"),        Pair("/node_count", kNumber),
                            Pair("/nodes", "string"),        Pair("/partition", "string"),
                            Pair("/priority", kNumber),      Pair("/qos", "string"),
                            Pair("/start_time", kNumber),    Pair("/state_description", "string"),
                            Pair("/state_reason", "string"), Pair("/submit_time", kNumber),
                            Pair("/time_limit", kNumber),    Pair("/tres_alloc_str", "string"),
                            Pair("/tres_req_str", "string"), Pair("/user_name", "string")}));
}

TEST(SlurmShapesTest, APendingJobSaysWhatItAsksForAndWhyItWaits) {
  const Json row = JobShape("c", SomeJob("17"));
  EXPECT_EQ(row["job_id"], 17);
  EXPECT_EQ(row["job_state"], Json::array({"PENDING"}));
  EXPECT_EQ(row["account"], "a");
  EXPECT_EQ(row["partition"], "p1,p2");
  EXPECT_EQ(row["qos"], "normal");
  EXPECT_EQ(row["priority"], SetNumber(4294967295));
  EXPECT_EQ(row["cpus"], SetNumber(3));
  EXPECT_EQ(row["time_limit"], SetNumber(2));  // Minutes, no part of one lost.
  EXPECT_EQ(row["tres_req_str"], "cpu=3,license/matlab=3,mem=2G,node=2");
  EXPECT_EQ(row["tres_alloc_str"], "");
  EXPECT_EQ(row["licenses"], "matlab:3");
  EXPECT_EQ(row["state_reason"], "Priority");
  EXPECT_EQ(row["start_time"], UnsetNumber());
  EXPECT_EQ(row["hold"], false);
}

TEST(SlurmShapesTest, ARunningJobEndsWhenItsTimeIsOver) {
  v1::TrackedJob tracked = SomeJob("17");
  tracked.mutable_job()->set_state(v1::JOB_STATE_RUNNING);
  tracked.mutable_job()->mutable_start_time()->set_seconds(2000);
  tracked.clear_reason();
  const Json row = JobShape("c", tracked);
  EXPECT_EQ(row["job_state"], Json::array({"RUNNING"}));
  EXPECT_EQ(row["end_time"], SetNumber(2061));
  EXPECT_EQ(row["state_reason"], "None");
  EXPECT_EQ(row["tres_alloc_str"], row["tres_req_str"]);
}

TEST(SlurmShapesTest, AJobThatHasEndedHasItsEndAndItsNodes) {
  v1::TrackedJob tracked = SomeJob("17");
  tracked.mutable_job()->set_state(v1::JOB_STATE_TIMEOUT);
  tracked.mutable_job()->mutable_start_time()->set_seconds(2000);
  tracked.mutable_job()->mutable_end_time()->set_seconds(2070);
  tracked.mutable_job()->set_node_list("n[1-2]");
  const Json row = JobShape("c", tracked);
  EXPECT_EQ(row["job_state"], Json::array({"TIMEOUT"}));
  EXPECT_EQ(row["end_time"], SetNumber(2070));
  EXPECT_EQ(row["nodes"], "n[1-2]");
}

TEST(SlurmShapesTest, AHeldJobIsHeldByTheUserWhoHeldIt) {
  v1::TrackedJob tracked = SomeJob("17");
  tracked.mutable_job()->set_hold(v1::HOLD_USER);
  EXPECT_EQ(JobShape("c", tracked)["hold"], true);
  tracked.mutable_job()->clear_hold();
  tracked.mutable_job()->set_admin_priority(0);
  EXPECT_EQ(JobShape("c", tracked)["hold"], true);
}

TEST(SlurmShapesTest, AnArrayAndItsTasksAreWrittenInSlurmsFields) {
  v1::TrackedJob array = SomeJob("17");
  array.mutable_job()->set_array_task_ids("0-9:3,20%2");
  const Json row = JobShape("c", array);
  EXPECT_EQ(row["array_job_id"], SetNumber(17));
  EXPECT_EQ(row["array_task_string"], "0-9:3,20");
  EXPECT_EQ(row["array_max_tasks"], SetNumber(2));
  EXPECT_EQ(row["array_task_id"], UnsetNumber());
  v1::TrackedJob task = SomeJob("17_3");
  task.mutable_job()->set_array_job_id("17");
  task.mutable_job()->set_array_task_id(3);
  EXPECT_EQ(JobShape("c", task)["array_job_id"], SetNumber(17));
  EXPECT_EQ(JobShape("c", task)["array_task_id"], SetNumber(3));
}

TEST(SlurmShapesTest, AnIdThatIsNoNumberStandsInExtra) {
  const Json row = JobShape("c", SomeJob("pod-7f"));
  EXPECT_EQ(row["job_id"], 0);
  EXPECT_EQ(row["extra"], "pod-7f");
  EXPECT_EQ(JobShape("c", SomeJob("17"))["extra"], "");
  EXPECT_EQ(JobShape("c", SomeJob("99999999999999999999"))["job_id"], 0);
}

}  // namespace
}  // namespace priorityd::gateway
