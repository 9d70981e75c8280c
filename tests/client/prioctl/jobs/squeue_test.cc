// prioctl squeue, compared with what Slurm's own printed of the same jobs.
#include "client/prioctl/jobs/squeue.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using jobs::CapturedJobs;
using jobs::CapturedLines;
using jobs::Lines;
using ::testing::HasSubstr;

// Answers as the service filters: by user, account and partition.
bool Passes(const v1::ListJobsRequest& request, const v1::Job& job) {
  const auto has = [](const auto& wanted, const std::string& name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  bool partition = request.partitions().empty();
  for (const std::string& name : job.partitions()) {
    partition = partition || has(request.partitions(), name);
  }
  return has(request.users(), job.user()) && has(request.accounts(), job.account()) && partition;
}

class SqueueTest : public PrioctlTest {
 protected:
  SqueueTest() {
    fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
      const v1::ListJobsResponse captured = CapturedJobs();
      for (const v1::TrackedJob& job : captured.jobs()) {
        if (Passes(request, job.job())) *answer->add_jobs() = job;
      }
      return grpc::Status::OK;
    });
  }

  Lines LinesOf(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"squeue"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const std::string out = Output(all);
    Lines lines = absl::StrSplit(out, '\n', absl::SkipEmpty());
    return lines;
  }

  // Without jobs that out, whose nodes and times priorityd does not know; the reasons for which a
  // job waits for its turn, which changed from one capture to the next, as one. In any order: Slurm
  // has none for jobs that are equal.
  static std::multiset<std::string> Comparable(const Lines& lines) {
    std::multiset<std::string> comparable;
    for (const std::string& line : lines) {
      if (absl::StrContains(line, "running_")) continue;
      comparable.insert(
          absl::StrReplaceAll(line, {{"(None)", "(Priority)"}, {"(Resources)", "(Priority)"}}));
    }
    return comparable;
  }

  void ExpectAsCaptured(const std::string& options, const std::vector<std::string>& arguments) {
    SCOPED_TRACE(options);
    EXPECT_EQ(Comparable(LinesOf(arguments)),
              Comparable(CapturedLines("squeue.txt", "squeue" + options)));
  }
};

TEST_F(SqueueTest, ANameForgesNoRowAndDrivesNoTerminal) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    v1::Job* job = answer->add_jobs()->mutable_job();
    job->set_job_id("1");
    job->set_name("a\n2 root\x1b[2J");
    job->set_state(v1::JOB_STATE_PENDING);
    return grpc::Status::OK;
  });
  EXPECT_EQ(LinesOf({"-h", "-o", "%i %j"}), Lines{"1 a\\n2 root\\x1b[2J"});
  const std::string shown = Run({"scontrol", "show", "job", "1"}).out;
  EXPECT_THAT(shown, HasSubstr("JobName=a\\n2 root\\x1b[2J"));
}

// The table of real jobs, whose partition, account and QOS squeue shows whether sbatch named them
// or not.
TEST_F(SqueueTest, AJobThatNamesNothingIsShownWithWhatApplies) {
  fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
    EXPECT_FALSE(request.as_submitted());
    *answer = CapturedJobs();
    for (v1::TrackedJob& tracked : *answer->mutable_jobs()) {
      v1::Job& job = *tracked.mutable_job();
      tracked.mutable_partitions()->Swap(job.mutable_partitions());
      tracked.mutable_qos()->Swap(job.mutable_qos());
      tracked.set_account(job.account());
      job.clear_account();
    }
    return grpc::Status::OK;
  });
  ExpectAsCaptured("", {});
  ExpectAsCaptured(" -q high", {"-q", "high"});
  ExpectAsCaptured(" -O \"JobID: ,Account: ,Partition: \"",
                   {"-O", "JobID: ,Account: ,Partition: "});
  EXPECT_THAT(Run({"scontrol", "show", "job", "7"}).out,
              AllOf(HasSubstr("Account=stars QOS=normal"), HasSubstr("Partition=main")));
}

TEST_F(SqueueTest, ForecastsAreOfPendingJobs) {
  setenv("TZ", "UTC", 1);
  fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
    for (const char* id : {"1", "2", "3"}) {
      v1::TrackedJob& tracked = *answer->add_jobs();
      tracked.mutable_job()->set_job_id(id);
      tracked.mutable_job()->set_state(*id == '3' ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_PENDING);
    }
    if (!request.with_forecasts()) return grpc::Status::OK;
    v1::StartInterval& interval = *answer->mutable_jobs(0)->mutable_start_interval();
    interval.mutable_q10_time()->set_seconds(1795180000);
    interval.mutable_q50_time()->set_seconds(1795180060);
    interval.mutable_q90_time()->set_seconds(1795183600);
    return grpc::Status::OK;
  });
  const Lines lines = LinesOf({"--forecast"});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("           EARLIEST             HALF_BY              LATEST "));
  EXPECT_THAT(lines[1], HasSubstr(" 2026-11-20T13:06:40 2026-11-20T13:07:40 2026-11-20T14:06:40 "));
  EXPECT_THAT(lines[2], HasSubstr(" N/A                 N/A                 N/A "));
  EXPECT_EQ(LinesOf({"-h", "-j", "1", "-O", "JobID: ,ForecastMedian:"}),
            Lines{"1 2026-11-20T13:07:40"});
  EXPECT_EQ(Run({"squeue", "--forecast", "--start"}).exit_code, 2);
}

TEST_F(SqueueTest, JobsThatHaveEndedAreShownWhereTheirStateIsAskedFor) {
  fake_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
    if (request.states().empty()) return grpc::Status::OK;
    v1::Job& job = *answer->add_jobs()->mutable_job();
    job.set_job_id("7");
    job.set_state(v1::JOB_STATE_COMPLETED);
    job.mutable_start_time()->set_seconds(1795180000);
    job.mutable_end_time()->set_seconds(1795180090);
    job.set_node_list("n[1-2]");
    return grpc::Status::OK;
  });
  EXPECT_EQ(LinesOf({"-h", "-o", "%i"}), Lines{});
  for (const char* states : {"all", "COMPLETED", "CD,F"}) {
    EXPECT_EQ(LinesOf({"-h", "-t", states, "-o", "%i %t %M %N %R"}),
              Lines{"7 CD 1:30 n[1-2] n[1-2]"});
  }
  EXPECT_EQ(fake_.list_jobs.requests()[1].states_size(), 9);
  EXPECT_EQ(fake_.list_jobs.requests()[3].states_size(), 2);
}

// A row of the captured `squeue -t all`.
TEST_F(SqueueTest, AJobThatFailedIsShownWithSlurmsReason) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    v1::Job& job = *answer->add_jobs()->mutable_job();
    job.set_job_id("1");
    job.add_partitions("main");
    job.set_name("failing");
    job.set_user("bob");
    job.set_state(v1::JOB_STATE_FAILED);
    job.set_exit_code(1);
    job.set_node_list("n1");
    return grpc::Status::OK;
  });
  EXPECT_THAT(CapturedLines("squeue.txt", "squeue -t all"),
              testing::Contains(LinesOf({"-h", "-t", "all"}).at(0)));
}

TEST_F(SqueueTest, TablesAreThoseOfSlurm) {
  ExpectAsCaptured("", {});
  ExpectAsCaptured(" -h", {"-h"});
  ExpectAsCaptured(" -a", {"-a"});
  ExpectAsCaptured(" -u ann", {"-u", "ann"});
  ExpectAsCaptured(" -u ann,bob -h", {"-u", "ann,bob", "-h"});
  ExpectAsCaptured(" -A stars", {"-A", "stars"});
  ExpectAsCaptured(" -q high", {"-q", "high"});
  ExpectAsCaptured(" -t PENDING", {"-t", "PENDING"});
  ExpectAsCaptured(" -n plain,nice", {"-n", "plain,nice"});
  ExpectAsCaptured(" -r", {"-r"});
  ExpectAsCaptured(" -o \"%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R\"",
                   {"-o", "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"});
  ExpectAsCaptured(" -o \"%10.3j|%.20j|%3j\"", {"-o", "%10.3j|%.20j|%3j"});
  ExpectAsCaptured(" -o \"%5i%-10u%.3tx\"", {"-o", "%5i%-10u%.3tx"});
  ExpectAsCaptured(
      " -O jobid,partition,name,username,state,timeused,timelimit,numnodes,reasonlist",
      {"-O", "jobid,partition,name,username,state,timeused,timelimit,numnodes,reasonlist"});
  ExpectAsCaptured(" -O \"JobID: ,Account: ,Partition: \"",
                   {"-O", "JobID: ,Account: ,Partition: "});
}

TEST_F(SqueueTest, TheLongTableHasTheTimeAboveIt) {
  const Lines got = LinesOf({"-l"});
  const Lines want = CapturedLines("squeue.txt", "squeue -l");
  EXPECT_EQ(got[0].size(), want[0].size()) << got[0];
  EXPECT_EQ(Comparable(Lines(got.begin() + 1, got.end())),
            Comparable(Lines(want.begin() + 1, want.end())));
}

TEST_F(SqueueTest, RowsAreInSlurmsOrder) {
  const auto order = [](const Lines& lines) {
    Lines keys;
    // The ids of equal jobs are in no order.
    for (const std::string& line : lines) keys.push_back(line.substr(line.find(' ')));
    return keys;
  };
  const Lines want = CapturedLines("squeue.txt", "squeue -S P,t,-p -h -o \"%i %P %t %p\"");
  EXPECT_EQ(order(LinesOf({"-h", "-o", "%i %P %t %p"})), order(want));
  EXPECT_EQ(order(LinesOf({"-S", "P,t,-p", "-h", "-o", "%i %P %t %p"})), order(want));
  EXPECT_EQ(LinesOf({"-P", "-h", "-o", "%i %P %Q"}).size(),
            CapturedLines("squeue.txt", "squeue -P -h -o \"%i %P %Q\"").size());
  const Lines by_id = LinesOf({"-S", "-i", "-h", "-o", "%A"});
  EXPECT_EQ(by_id.front(), "37") << "42 is a task of 20";
}

TEST_F(SqueueTest, JobsAreNamedOneByOneOrAsTasks) {
  EXPECT_EQ(LinesOf({"-h", "-o", "%i", "-S", "i", "-j", "7,20_[1-2]"}),
            (Lines{"7", "20_2", "20_1"}));
  EXPECT_EQ(LinesOf({"-h", "-o", "%i", "-j", "19"}), Lines{"19_[0-5%2]"});
  EXPECT_EQ(LinesOf({"-h", "-o", "%i", "-j", "20"}).size(), 6u);
}

// Job 70005, tasks 0 to 4,000,000 of which wait.
class HugeArrayTest : public PrioctlTest {
 protected:
  HugeArrayTest() {
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      v1::Job* job = answer->add_jobs()->mutable_job();
      job->set_job_id("70005");
      job->set_name("sweep");
      job->set_state(v1::JOB_STATE_PENDING);
      job->set_array_task_ids("0-4000000");
      return grpc::Status::OK;
    });
  }
  Finished ListTasks(const std::string& jobs) {
    return Run({"squeue", "-r", "-h", "-o", "%i", "-S", "i", "-j", jobs});
  }
};

TEST_F(HugeArrayTest, TasksThatAreNamedAreListedAlone) {
  EXPECT_EQ(ListTasks("70005_200000").out, "70005_200000\n");
  EXPECT_EQ(ListTasks("70005_200000").err, "");
  const Finished run = ListTasks("70005_[3999999-4000000],70005_7,70005_7,70006_1");
  const Lines lines = absl::StrSplit(run.out, '\n', absl::SkipEmpty());
  EXPECT_THAT(lines, testing::UnorderedElementsAre("70005_7", "70005_3999999", "70005_4000000"));
  EXPECT_EQ(Run({"squeue", "-h", "-o", "%i", "-j", "70005_200000"}).out, "70005_[0-4000000]\n");
}

TEST_F(HugeArrayTest, TasksThatAreMissingAreAWarning) {
  for (const char* jobs : {"70005", "70005_[1000-3000000]", "jobname=sweep", "70005_7,70005"}) {
    const Finished run = ListTasks(jobs);
    EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 100'000) << jobs;
    EXPECT_THAT(run.err, HasSubstr("warning: --array: job 70005 has 4000001 tasks, and more than "
                                   "100000 of them are to be listed; only 100000 are, "
                                   "-j 70005_[FIRST-LAST] lists others\n"))
        << jobs;
  }
  EXPECT_EQ(ListTasks("70005_[1-100000]").err, "") << "none is missing";
}

TEST_F(SqueueTest, AskedForPlacesAndRunsUnderItsOwnName) {
  const Finished run = RunPrioctl({"--server", fake_.address(), "-h", "--me"}, "", "squeue");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fake_.list_jobs.requests()[0].with_ranking());
  EXPECT_EQ(fake_.list_jobs.requests()[0].users_size(), 1);
  EXPECT_EQ(LinesOf({"-h", "-O", "place", "-j", "7"})[0].substr(0, 3), "N/A");
}

TEST_F(SqueueTest, JsonIsWhatTheServiceAnsweredOfTheJobsShown) {
  const Finished run = Run({"squeue", "--json", "-j", "7"});
  EXPECT_THAT(run.out, HasSubstr("\"jobId\":\"7\""));
  EXPECT_THAT(run.out, HasSubstr("\"total\":1"));
}

TEST_F(SqueueTest, WhatThereIsNotIsAnError) {
  EXPECT_THAT(Run({"squeue", "-o", "%~"}).out, HasSubstr("%~")) << "as squeue: it is text";
  EXPECT_THAT(Run({"squeue", "-o", "%Z"}).err, HasSubstr("--format: got field Z, want one of"));
  EXPECT_THAT(Run({"squeue", "-O", "nonsense"}).err, HasSubstr("--Format: got field \"nonsense\""));
  EXPECT_THAT(Run({"squeue", "-O", "jobid,acount"}).err,
              HasSubstr("--Format: got field \"acount\"; did you mean account? Want one of "));
  EXPECT_THAT(Run({"squeue", "-t", "NEVER"}).err, HasSubstr("--states: got \"NEVER\""));
  EXPECT_THAT(Run({"squeue", "-S", "#"}).err, HasSubstr("--sort: got \"#\""));
  EXPECT_THAT(Run({"squeue", "-j", "1,,2"}).err, HasSubstr("--jobs: "));
}

}  // namespace
}  // namespace priorityd
