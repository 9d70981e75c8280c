#include "client/slurm/tables/squeue_jobs.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::tables {
namespace {

using ::testing::HasSubstr;
namespace v1 = ::priority::v1;

// As Slurm 22.05.8 printed it for
// squeue -o "%i|%P|%j|%u|%a|%q|%T|%t|%M|%l|%D|%C|%p|%Q|%r|%R|%S", in UTC.
constexpr char kSqueue[] =
    "JOBID|PARTITION|NAME|USER|ACCOUNT|QOS|STATE|ST|TIME|TIME_LIMIT|NODES|CPUS|PRIORITY|PRIORITY|"
    "REASON|NODELIST(REASON)|START_TIME\n"
    "6|gpu|running_gpu|ann|chem|normal|RUNNING|R|0:02|2:00:00|1|8|0.00000188988633|8117|None|n2|"
    "2026-11-22T16:00:58\n"
    "27|main|over_limit|eve|organic|normal|PENDING|PD|0:00|3-00:00:00|2|16|0.00000163819641|7036|"
    "AssocMaxWallDurationPerJobLimit|(AssocMaxWallDurationPerJobLimit)|N/A\n"
    "22|main|begins|eve|organic|normal|PENDING|PD|0:00|1:00:00|1|1|0.00000153202564|6580|BeginTime|"
    "(BeginTime)|2026-11-22T18:00:59\n"
    "19_[0-5%2]|main|array|cat|astro|normal|PENDING|PD|0:00|1:00:00|1|1|0.00000107404776|4613|"
    "Priority|(Priority)|2026-11-23T10:00:00\n"
    "20_5|main|task_by_task|cat|astro|normal|PENDING|PD|0:00|1:00:00|1|1|0.00000107404776|4613|"
    "Dependency|(Dependency)|N/A\n"
    "9|main|admin_hold|dan|plasma|long|PENDING|PD|0:00|10-00:00:00|1|1|0.00000000000000|0|"
    "JobHeldAdmin|(JobHeldAdmin)|N/A\n"
    "8|main|own_hold|ann|stars|high|PENDING|PD|0:00|1:00:00|1|1|0.00000000000000|0|JobHeldUser|"
    "(JobHeldUser)|N/A\n"
    "23|main,gpu|two_partitions|eve|organic|normal|PENDING|PD|0:00|12:00:00|1|4|0.00000154739246|"
    "6646|Resources|(Resources)|2026-11-22T17:00:58\n";

v1::Job Expected(const std::string& json) {
  v1::Job job;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &job).ok()) << json;
  return job;
}

TEST(SqueueJobsTest, TextThatIsNoUtf8IsReadAsLatin1) {
  const auto jobs = ReadSqueueJobs("squeue.txt",
                                   "JOBID|USER|STATE|NAME|ACCOUNT\n"
                                   "1|ann|PD|M\xFC"
                                   "ller|ch\xE9mie\n"
                                   "2|ann|PD|Müller|chimie\n",
                                   absl::UTCTimeZone());
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  ASSERT_EQ(jobs->jobs_size(), 2);
  EXPECT_EQ(jobs->jobs(0).name(), "Müller");
  EXPECT_EQ(jobs->jobs(0).account(), "chémie");
  EXPECT_EQ(jobs->jobs(1).name(), "Müller");
}

TEST(SqueueJobsTest, AnArrayWithoutItsNumberIsRefused) {
  const auto jobs =
      ReadSqueueJobs("squeue.txt", "JOBID|USER|STATE\n_[1-5]|cat|PD\n", absl::UTCTimeZone());
  EXPECT_THAT(std::string(jobs.status().message()),
              HasSubstr("squeue.txt line 2: JOBID: got \"_[1-5]\", want the job's id"));
}

TEST(SqueueJobsTest, ATableIsReadByItsHeading) {
  const auto jobs = ReadSqueueJobs("squeue.txt", kSqueue, absl::UTCTimeZone());
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  const std::vector<std::string> want = {
      R"({"jobId": "6", "user": "ann", "account": "chem", "partitions": ["gpu"], "qos": ["normal"],
          "state": "JOB_STATE_RUNNING", "name": "running_gpu", "nodes": 1, "cpus": 8,
          "timeLimit": "7200s", "startTime": "2026-11-22T16:00:58Z"})",
      R"({"jobId": "27", "user": "eve", "account": "organic", "partitions": ["main"],
          "qos": ["normal"], "state": "JOB_STATE_PENDING", "name": "over_limit", "nodes": 2,
          "cpus": 16, "timeLimit": "259200s"})",
      R"({"jobId": "22", "user": "eve", "account": "organic", "partitions": ["main"],
          "qos": ["normal"], "state": "JOB_STATE_PENDING", "name": "begins", "nodes": 1, "cpus": 1,
          "timeLimit": "3600s", "eligibleTime": "2026-11-22T18:00:59Z"})",
      R"({"jobId": "19", "user": "cat", "account": "astro", "partitions": ["main"],
          "qos": ["normal"], "state": "JOB_STATE_PENDING", "name": "array", "nodes": 1, "cpus": 1,
          "timeLimit": "3600s", "arrayTaskIds": "0-5%2"})",
      R"({"jobId": "20_5", "user": "cat", "account": "astro", "partitions": ["main"],
          "qos": ["normal"], "state": "JOB_STATE_PENDING", "name": "task_by_task", "nodes": 1,
          "cpus": 1, "timeLimit": "3600s", "arrayJobId": "20", "arrayTaskId": 5})",
      R"({"jobId": "9", "user": "dan", "account": "plasma", "partitions": ["main"], "qos": ["long"],
          "state": "JOB_STATE_PENDING", "name": "admin_hold", "nodes": 1, "cpus": 1,
          "timeLimit": "864000s", "hold": "HOLD_ADMIN"})",
      R"({"jobId": "8", "user": "ann", "account": "stars", "partitions": ["main"], "qos": ["high"],
          "state": "JOB_STATE_PENDING", "name": "own_hold", "nodes": 1, "cpus": 1,
          "timeLimit": "3600s", "hold": "HOLD_USER"})",
      R"({"jobId": "23", "user": "eve", "account": "organic", "partitions": ["main", "gpu"],
          "qos": ["normal"], "state": "JOB_STATE_PENDING", "name": "two_partitions", "nodes": 1,
          "cpus": 4, "timeLimit": "43200s"})"};
  ASSERT_EQ(jobs->jobs_size(), static_cast<int>(want.size()));
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(jobs->jobs(static_cast<int>(i)).DebugString(), Expected(want[i]).DebugString());
  }
}

// Of `squeue --json` of Slurm 22.05.8, what is read.
TEST(SqueueJobsTest, JsonIsRead) {
  const auto jobs =
      ReadSqueueJobs("squeue.json",
                     R"({"meta": {}, "errors": [], "jobs": [{"account": "stars", "array_job_id": 0,
          "array_task_id": null, "array_task_string": "", "dependency": "",
          "eligible_time": 1795363258, "job_id": 7, "job_state": "PENDING", "name": "plain",
          "nice": null, "cpus": 2, "node_count": 1, "partition": "main", "qos": "normal",
          "resv_name": "", "start_time": 1795438800, "state_reason": "Priority",
          "submit_time": 1795363258, "time_limit": 30,
          "tres_req_str": "cpu=2,mem=62.50G,node=1,billing=2", "tres_alloc_str": "",
          "user_name": "ann"},
         {"job_id": 2, "job_state": ["COMPLETED"], "user_name": "bob"}]})",
                     absl::UTCTimeZone());
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  ASSERT_EQ(jobs->jobs_size(), 1);
  const v1::Job& job = jobs->jobs(0);
  EXPECT_EQ(job.job_id(), "7");
  EXPECT_EQ(job.state(), v1::JOB_STATE_PENDING);
  EXPECT_EQ(job.submit_time().seconds(), 1795363258);
  EXPECT_EQ(job.eligible_time().seconds(), 1795363258);
  EXPECT_FALSE(job.has_start_time());
  EXPECT_EQ(job.time_limit().seconds(), 1800);
  EXPECT_EQ(job.tres().at("mem"), 64000);
  EXPECT_EQ(job.tres().count("billing"), 0u);
}

// Of data_parser v0.0.39 (23.02), v0.0.40 (23.11) and v0.0.44 (25.11): plain numbers and numbers in
// an object, a state as text and in a list, `nodes` as a list of hosts.
TEST(SqueueJobsTest, JsonOfEveryParserSaysTheSame) {
  const std::string plain = R"({"jobs": [{"job_id": 7, "array_job_id": 5, "array_task_id": 3,
      "job_state": "RUNNING", "user_name": "ann", "account": "lab", "partition": "main",
      "qos": "normal", "cpus": 128, "node_count": 3, "time_limit": 60, "submit_time": 1764064800,
      "start_time": 1764064900, "nice": 0, "nodes": "cn[1-3]", "state_reason": "None",
      "tres_req_str": "cpu=128,mem=64G,node=1", "tres_alloc_str": "cpu=128,mem=64G,node=3"}]})";
  const auto number = [](int64_t value) {
    return absl::StrCat(R"({"set": true, "infinite": false, "number": )", value, "}");
  };
  const std::string wrapped = absl::StrCat(
      R"({"jobs": [{"job_id": 7, "array_job_id": )", number(5), R"(, "array_task_id": )", number(3),
      R"(, "job_state": ["RUNNING", "COMPLETING"], "user_name": "ann", "account": "lab",
      "partition": "main", "qos": "normal", "cpus": )",
      number(128), R"(, "node_count": )", number(3), R"(, "time_limit": )", number(60),
      R"(, "submit_time": )", number(1764064800), R"(, "start_time": )", number(1764064900),
      R"(, "nice": 0, "nodes": "cn[1-3]",
      "minimum_cpus_per_node": )",
      number(1), R"(, "max_nodes": )", number(0),
      R"(, "job_resources": {"nodes": {"count": 3, "list": "cn[1-3]"}}, "state_reason": "None",
      "tres_req_str": "cpu=128,mem=64G,node=1", "tres_alloc_str": "cpu=128,mem=64G,node=3"}]})");
  const auto old_jobs = ReadSqueueJobs("old.json", plain, absl::UTCTimeZone());
  const auto new_jobs = ReadSqueueJobs("new.json", wrapped, absl::UTCTimeZone());
  ASSERT_TRUE(old_jobs.ok()) << old_jobs.status();
  ASSERT_TRUE(new_jobs.ok()) << new_jobs.status();
  ASSERT_EQ(old_jobs->jobs_size(), 1);
  EXPECT_EQ(old_jobs->jobs(0).nodes(), 3u);
  EXPECT_EQ(old_jobs->jobs(0).job_id(), "5_3");
  EXPECT_EQ(old_jobs->jobs(0).time_limit().seconds(), 3600);
  EXPECT_EQ(new_jobs->jobs(0).DebugString(), old_jobs->jobs(0).DebugString());
}

TEST(SqueueJobsTest, ATimeLimitThatIsInfiniteIsNone) {
  const auto jobs = ReadSqueueJobs("q.json",
                                   R"({"jobs": [{"job_id": 7, "job_state": ["PENDING"],
      "user_name": "ann", "time_limit": {"set": false, "infinite": true, "number": 0}}]})",
                                   absl::UTCTimeZone());
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_FALSE(jobs->jobs(0).has_time_limit());
}

// squeue -o has them by node: %m and %b.
TEST(SqueueJobsTest, MemoryAndGresOfTheDocumentedColumnsAreRead) {
  std::vector<std::string> losses;
  const auto jobs =
      ReadSqueueJobs("q",
                     "JOBID|USER|ACCOUNT|PARTITION|QOS|STATE|TIME_LIMIT|NODES|CPUS|"
                     "MIN_MEMORY|TRES_PER_NODE|NAME|SUBMIT_TIME|START_TIME|DEPENDENCY|"
                     "NICE|REASON|RESERVATION\n"
                     "7|ann|lab|gpu|normal|PENDING|1:00|2|2|62.50G|gres/gpu:a100:2|x|"
                     "2026-11-22T16:00:00|N/A|(null)|0|None|(null)\n"
                     "8|ann|lab|gpu|normal|PENDING|1:00|1-4|1.50K|4000M|gres:gpu:1|x|"
                     "2026-11-22T16:00:00|N/A|(null)|0|None|(null)\n"
                     "9|ann|lab|gpu|normal|PENDING|1:00|1|1|0|N/A|x|"
                     "2026-11-22T16:00:00|N/A|(null)|0|None|(null)\n",
                     absl::UTCTimeZone(), &losses);
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_EQ(jobs->jobs(0).tres().at("mem"), 128'000);
  EXPECT_EQ(jobs->jobs(0).tres().at("gres/gpu"), 4);
  EXPECT_EQ(jobs->jobs(0).tres().at("gres/gpu:a100"), 4);
  EXPECT_EQ(jobs->jobs(1).nodes(), 1u) << "the least of a range";
  EXPECT_EQ(jobs->jobs(1).cpus(), 1536);
  EXPECT_EQ(jobs->jobs(1).tres().at("mem"), 4000);
  EXPECT_EQ(jobs->jobs(1).tres().at("gres/gpu"), 1);
  EXPECT_TRUE(jobs->jobs(2).tres().empty());
  EXPECT_EQ(losses, std::vector<std::string>{
                        "MIN_MEMORY (%m) is of a node or of a CPU, squeue does not say "
                        "which; taken as of a node, --json says it: 1 row, the first q "
                        "line 3"});
}

TEST(SqueueJobsTest, AColumnThatCountsAndIsMissingIsALoss) {
  std::vector<std::string> losses;
  const auto jobs =
      ReadSqueueJobs("q",
                     "JOBID|USER|ACCOUNT|PARTITION|QOS|ST|TIME_LIMIT|NODES|CPUS|SUBMIT_TIME|"
                     "DEPENDENCY|NICE|REASON\n"
                     "7|ann|lab|gpu|normal|PD|1:00|2|2|2026-11-22T16:00:00|(null)|0|None\n"
                     "8|ann|lab|gpu|normal|PD|1:00|2|2|2026-11-22T16:00:00|(null)|0|None\n",
                     absl::UTCTimeZone(), &losses);
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_EQ(
      losses,
      (std::vector<std::string>{
          "no column MIN_MEMORY (%m), so nothing is known of memory: 2 rows, the first q line 2",
          "no column TRES_PER_NODE (%b), so nothing is known of GPUs and other GRES: 2 rows, "
          "the first q line 2"}));
}

TEST(SqueueJobsTest, AValueThatCannotBeReadIsAnErrorOfItsLine) {
  const auto why = [](const std::string& column, const std::string& value) {
    const std::string text =
        absl::StrCat("JOBID|USER|ST|", column, "\n7|ann|PD|1\n8|ann|PD|", value, "\n");
    return std::string(ReadSqueueJobs("q", text, absl::UTCTimeZone()).status().message());
  };
  EXPECT_EQ(why("NODES", "few"), "q line 3: NODES: got \"few\", want a number");
  EXPECT_EQ(why("CPUS", "4x"), "q line 3: CPUS: got \"4x\", want a number");
  EXPECT_EQ(why("NICE", "kind"), "q line 3: NICE: got \"kind\", want a number");
  EXPECT_THAT(why("MIN_MEMORY", "4Q"), HasSubstr("q line 3: MIN_MEMORY: got \"4Q\""));
  EXPECT_THAT(why("TRES_ALLOC", "cpu=many"), HasSubstr("line 2: TRES_ALLOC: got \"1\""));
}

TEST(SqueueJobsTest, WhatIsWrongIsNamedByItsLine) {
  const auto why = [](const std::string& text) {
    return std::string(ReadSqueueJobs("q", text, absl::UTCTimeZone()).status().message());
  };
  EXPECT_EQ(why("JOBID|USER\n7|ann\n"),
            "q line 1: got no column STATE/ST, want a heading with columns divided by `|`");
  // Otherwise the queue would be taken for empty, and all its jobs for ended.
  for (const char* text : {"", "\n \n"}) {
    EXPECT_EQ(ReadSqueueJobs("q", text, absl::UTCTimeZone(), nullptr).status().message(),
              "q: got no text, want a heading with columns divided by `|`");
  }
  EXPECT_EQ(why("JOBID|USER|ST\n\n7|ann\n"), "q line 3: got 2 columns, want 3");
  EXPECT_EQ(why("JOBID|USER|ST\n7|ann|XX\n"),
            "q line 2: STATE: got \"XX\", want a state of a job, such as PENDING or PD");
  for (const char* nodes : {"-34", "4294967296", "1e300"}) {
    EXPECT_THAT(why(absl::StrCat("JOBID|USER|ST|NODES\n7|ann|PD|", nodes, "\n")),
                HasSubstr("q line 2: NODES: got"));
  }
  EXPECT_THAT(why("JOBID|USER|ST\n7_[1-3,...]|ann|PD\n"), HasSubstr("SLURM_BITSTR_LEN=0"));
}

}  // namespace
}  // namespace priorityd::tables

namespace priorityd {
namespace {

TEST_F(PrioctlTest, SqueueBecomesTheTrackedQueueOfItsSource) {
  fake_.update_jobs.Answer([](const v1::UpdateJobsRequest&, auto*) { return grpc::Status::OK; });
  const Finished run =
      Run({"import", "squeue", "-"}, "JOBID|USER|ST|DEPENDENCY\n7|ann|PD|afterok:5(unfulfilled)\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const v1::UpdateJobsRequest request = fake_.update_jobs.requests()[0];
  EXPECT_TRUE(request.full_sync());
  EXPECT_EQ(request.source(), "squeue");
  EXPECT_EQ(request.upserts(0).dependency(), "afterok:5");
  EXPECT_EQ(Run({"import", "squeue", "-"}, "ClusterName=orc\n").err,
            "prioctl: -: this looks like a slurm.conf, which `prioctl import slurm-conf`, `policy "
            "apply` and `policy diff` take; want a table of squeue\n");
}

}  // namespace
}  // namespace priorityd
