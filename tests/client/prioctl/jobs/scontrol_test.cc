// prioctl scontrol: what it asks for, and what it says when that is refused.
#include "client/prioctl/jobs/scontrol.h"

#include <map>
#include <set>

#include "client/prioctl/jobs/job_update.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScontrolTest : public PrioctlTest {
 protected:
  ScontrolTest() {
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      *answer = jobs::CapturedJobs();
      return grpc::Status::OK;
    });
    fake_.update_jobs.Answer([](const v1::UpdateJobsRequest& request, auto* answer) {
      for (const v1::Job& job : request.upserts()) {
        v1::JobUpdateResult* result = answer->add_upserts();
        result->set_job_id(job.job_id());
        result->set_outcome(v1::UPDATE_OUTCOME_UPSERTED);
      }
      return grpc::Status::OK;
    });
    fake_.top_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  }

  // The only request; its fields and jobs.
  v1::UpdateJobsRequest Sent(const std::vector<std::string>& words) {
    const size_t before = fake_.update_jobs.requests().size();
    std::vector<std::string> arguments = {"scontrol"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_EQ(Output(arguments), "");
    const auto requests = fake_.update_jobs.requests();
    EXPECT_EQ(requests.size(), before + 1);
    return requests.size() == before + 1 ? requests.back() : v1::UpdateJobsRequest();
  }
  std::vector<std::string> Ids(const v1::UpdateJobsRequest& request) {
    std::vector<std::string> ids;
    for (const v1::Job& job : request.upserts()) ids.push_back(job.job_id());
    return ids;
  }
};

TEST_F(ScontrolTest, AHoldIsTheAdministratorsOrElseTheUsers) {
  v1::UpdateJobsRequest request = Sent({"hold", "7", "10"});
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("hold"));
  EXPECT_THAT(Ids(request), ElementsAre("7", "10"));
  EXPECT_EQ(request.upserts(0).hold(), v1::HOLD_ADMIN);
  EXPECT_EQ(Sent({"uhold", "7"}).upserts(0).hold(), v1::HOLD_USER);
  fake_.update_jobs.Answer([](const v1::UpdateJobsRequest& asked, auto* answer) {
    v1::JobUpdateResult* result = answer->add_upserts();
    const bool refused = asked.upserts(0).hold() == v1::HOLD_ADMIN;
    result->set_outcome(refused ? v1::UPDATE_OUTCOME_REFUSED : v1::UPDATE_OUTCOME_UPSERTED);
    if (refused) result->set_reason("AccessDenied");
    if (refused) result->set_field("hold");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Run({"scontrol", "hold", "7"}).exit_code, 0);
  EXPECT_EQ(fake_.update_jobs.requests().back().upserts(0).hold(), v1::HOLD_USER);
}

TEST_F(ScontrolTest, AReleaseClearsTheHoldOfThoseThatAreHeld) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    v1::Job* held = answer->add_jobs()->mutable_job();
    held->set_job_id("1");
    held->set_hold(v1::HOLD_USER);
    v1::Job* zero = answer->add_jobs()->mutable_job();
    zero->set_job_id("2");
    zero->set_admin_priority(0);
    answer->add_jobs()->mutable_job()->set_job_id("3");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Run({"scontrol", "release", "1,2,3"}).exit_code, 0);
  const auto requests = fake_.update_jobs.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_THAT(requests[0].update_mask().paths(), ElementsAre("admin_priority"));
  EXPECT_THAT(Ids(requests[0]), ElementsAre("2"));
  EXPECT_THAT(requests[1].update_mask().paths(), ElementsAre("hold"));
  EXPECT_THAT(Ids(requests[1]), ElementsAre("1"));
}

TEST_F(ScontrolTest, JobsAreNamedByIdTaskAndName) {
  EXPECT_THAT(Ids(Sent({"hold", "jobid=7,10"})), ElementsAre("7", "10"));
  EXPECT_EQ(Ids(Sent({"hold", "20_[1,3]"})).size(), 2u);
  EXPECT_EQ(Ids(Sent({"hold", "20"})).size(), 6u);
  EXPECT_THAT(Ids(Sent({"hold", "jobname=topped"})), ElementsAre("33"));
}

TEST_F(ScontrolTest, FromAndUntilGiveAnUpdateAnEnd) {
  const v1::UpdateJobsRequest request =
      Sent({"update", "jobid=7", "Nice=-100", "From=now+1hour", "until=2026-12-18T18:00:00"});
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("nice"));
  EXPECT_EQ(request.upserts(0).nice(), -100);
  EXPECT_EQ(request.from(), "now+1hour");
  EXPECT_EQ(request.until(), "2026-12-18T18:00:00");
  EXPECT_EQ(Sent({"update", "jobid=7", "Nice=5"}).until(), "");
  EXPECT_THAT(Run({"scontrol", "update", "jobid=7", "until=now+1day"}).err,
              HasSubstr("No changes specified"));
}

TEST_F(ScontrolTest, ShowJobHasWhatLeasesMakeOfItsSettings) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    v1::TrackedJob* job = answer->add_jobs();
    job->mutable_job()->set_job_id("7");
    v1::LeasedSetting* leased = job->add_leased();
    leased->set_name("Nice");
    leased->set_value("-100");
    leased->mutable_until()->set_seconds(1'797'616'800);  // 2026-12-18T18:00:00Z
    leased->set_then("5");
    return grpc::Status::OK;
  });
  const std::string sheet = Run({"scontrol", "show", "job", "7"}).out;
  EXPECT_THAT(sheet, HasSubstr("\n   Leases=Nice=-100 until "));
  EXPECT_THAT(sheet, HasSubstr(", then 5\n"));
}

TEST_F(ScontrolTest, UpdateSetsTheFieldsThatItsWordsName) {
  v1::UpdateJobsRequest request =
      Sent({"update", "jobid=7", "Nice=5", "acc=chem", "part=main,gpu", "qos=high"});
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("nice", "account", "partitions", "qos"));
  EXPECT_EQ(request.upserts(0).nice(), 5);
  EXPECT_EQ(request.upserts(0).account(), "chem");
  EXPECT_THAT(request.upserts(0).partitions(), ElementsAre("main", "gpu"));
  EXPECT_THAT(request.upserts(0).qos(), ElementsAre("high"));
  EXPECT_EQ(Sent({"update", "job=7", "nice"}).upserts(0).nice(), 100);
  EXPECT_EQ(Sent({"upd", "JobId=7", "PRIORITY=99"}).upserts(0).admin_priority(), 99);
  EXPECT_EQ(Sent({"update", "jobid=7", "priority=0"}).upserts(0).hold(), v1::HOLD_ADMIN);
  EXPECT_EQ(Sent({"update", "jobid=7", "timelimit=20"}).upserts(0).time_limit().seconds(), 1200);
  EXPECT_EQ(Sent({"update", "jobid=7", "timelimit=+60"}).upserts(0).time_limit().seconds(), 5400);
  EXPECT_EQ(Sent({"update", "jobid=7", "dependency="}).upserts(0).dependency(), "");
  EXPECT_EQ(Sent({"update", "jobid=19", "arraytaskthrottle=1"}).upserts(0).array_task_ids(),
            "0-5%1");
  EXPECT_EQ(Sent({"update", "jobid=19", "arraytaskthrottle=0"}).upserts(0).array_task_ids(), "0-5");
  EXPECT_TRUE(Sent({"update", "jobid=7", "start=now+1hour"}).upserts(0).has_eligible_time());
  EXPECT_THAT(Ids(Sent({"update", "jobname=topped", "nice=3"})), ElementsAre("33"));
}

TEST_F(ScontrolTest, BeginTimesAreReadAsSbatchReadsThem) {
  const absl::Time now =
      absl::FromCivil(absl::CivilSecond(2026, 11, 22, 16), absl::LocalTimeZone());
  const auto hours = [&](absl::string_view text) {
    return absl::ToDoubleHours(jobs::ParseBegin(text, now).value_or(absl::InfinitePast()) - now);
  };
  EXPECT_EQ(hours("now"), 0);
  EXPECT_EQ(hours("now+2hours"), 2);
  EXPECT_EQ(hours("now+3600"), 1);
  EXPECT_EQ(hours("2026-11-22T18:00"), 2);
  EXPECT_EQ(hours("2026-11-23"), 8);
  EXPECT_EQ(hours("17:30"), 1.5);
  EXPECT_EQ(hours("08:00:00"), 16) << "the next one";
  EXPECT_EQ(hours("tomorrow"), 8);
  EXPECT_EQ(jobs::ParseBegin("2026-12-01T08:00:00+01:00", now),
            absl::FromCivil(absl::CivilSecond(2026, 12, 1, 7, 0, 0), absl::UTCTimeZone()));
  EXPECT_EQ(jobs::ParseBegin("soon", now), std::nullopt);
  EXPECT_EQ(jobs::ParseBegin("now+2parsecs", now), std::nullopt);
}

TEST_F(ScontrolTest, TopKeepsTheOrderGiven) {
  EXPECT_EQ(Run({"scontrol", "top", "10,7"}).exit_code, 0);
  EXPECT_THAT(fake_.top_jobs.requests()[0].job_ids(), ElementsAre("10", "7"));
}

TEST_F(ScontrolTest, WhatCannotBeDoneIsSaidAsScontrolSaysIt) {
  const auto fails = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "scontrol");
    const Finished run = Run(words);
    EXPECT_EQ(run.exit_code, 1) << words[1];
    return run.err;
  };
  EXPECT_THAT(fails({"hold", "999999"}), HasSubstr("Invalid job id specified for job 999999"));
  EXPECT_THAT(fails({"show", "job", "999999"}), HasSubstr("Invalid job id specified"));
  EXPECT_THAT(fails({"show", "job", "999999", "--json"}), HasSubstr("Invalid job id specified"));
  EXPECT_THAT(fails({"nonsense"}), HasSubstr("invalid keyword: nonsense"));
  EXPECT_THAT(fails({"show", "nonsense"}), HasSubstr("invalid entity:nonsense for keyword:show"));
  EXPECT_THAT(fails({"hold"}), HasSubstr("too few arguments for keyword:hold"));
  EXPECT_THAT(fails({"update"}), HasSubstr("too few arguments for update keyword"));
  EXPECT_THAT(fails({"update", "jobid=7", "nonsense=1"}),
              HasSubstr("Update of this parameter is not supported: nonsense=1"));
  EXPECT_THAT(fails({"update", "jobid=7", "acount=b"}),
              HasSubstr("not supported: acount=b; did you mean Account?"));
  EXPECT_THAT(fails({"update", "jobid=7", "features=fast"}),
              HasSubstr("Features is the frontend's"));
  EXPECT_THAT(fails({"requeuehold", "7"}), HasSubstr("requeuehold: not done here"));
  EXPECT_THAT(fails({"update", "jobid=7", "priority=4294967295"}),
              HasSubstr("Invalid Priority value"));
  EXPECT_THAT(fails({"update", "jobid=7", "Partition="}),
              HasSubstr("Invalid Partition value: got \"\", want a partition"));
  EXPECT_TRUE(fake_.update_jobs.requests().empty());
}

TEST_F(ScontrolTest, ShowJobSaysWhatScontrolSaysAsFarAsPriorityKnows) {
  for (const std::string id : {"7", "10", "21", "24"}) {
    const Finished run = Run({"scontrol", "-o", "show", "job", id});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, IsOneLine());
    std::string want;
    for (const std::string& line :
         jobs::CapturedLines("scontrol_show.txt", "scontrol -o show job")) {
      if (absl::StartsWith(line, "JobId=" + id + " ")) want = line;
    }
    const std::set<std::string> captured = absl::StrSplit(want, ' ');
    // UserId: the users of the capture have no numbers here. Others follow the clock.
    const std::set<std::string> other = {"UserId",      "EligibleTime", "AccrueTime", "StartTime",
                                         "EndTime",     "TRES",         "Place",      "SiteFactor",
                                         "Reservation", "Source"};
    const std::vector<std::string> tokens =
        absl::StrSplit(run.out.substr(0, run.out.size() - 1), ' ');
    for (const std::string& token : tokens) {
      if (other.contains(token.substr(0, token.find('=')))) continue;
      EXPECT_TRUE(captured.contains(token)) << id << ": " << token << " of\n" << want;
    }
  }
}

// The jobs that had ended when a real scontrol printed them.
TEST_F(ScontrolTest, AJobThatHasEndedIsShownAsScontrolShowsIt) {
  int ended = 0;
  for (const std::string& line : jobs::CapturedLines("scontrol_show.txt", "scontrol -o show job")) {
    std::map<std::string, std::string> words;
    for (const auto token : absl::StrSplit(line, ' ', absl::SkipEmpty())) {
      words.insert(absl::StrSplit(token, absl::MaxSplits('=', 1)));
    }
    v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
    ASSERT_TRUE(v1::JobState_Parse("JOB_STATE_" + words["JobState"], &state)) << line;
    if (state <= v1::JOB_STATE_SUSPENDED) continue;
    ++ended;
    fake_.list_jobs.Answer(
        [words, state](const v1::ListJobsRequest& request, auto* answer) mutable {
          EXPECT_EQ(request.states_size(), 9) << "ended jobs are listed where they are named";
          v1::Job& job = *answer->add_jobs()->mutable_job();
          job.set_job_id(words["JobId"]);
          job.set_state(state);
          *job.mutable_start_time() = jobs::CapturedTime(words["StartTime"]);
          *job.mutable_end_time() = jobs::CapturedTime(words["EndTime"]);
          const std::pair<std::string, std::string> exit = absl::StrSplit(words["ExitCode"], ':');
          job.set_exit_code(std::stoi(exit.first));
          job.set_exit_signal(std::stoi(exit.second));
          job.set_node_list(words["NodeList"]);
          job.set_requeue(words["Requeue"] == "1");
          return grpc::Status::OK;
        });
    const std::string shown = Run({"scontrol", "-o", "show", "job", words["JobId"]}).out;
    for (const char* name :
         {"JobState", "Requeue", "ExitCode", "RunTime", "StartTime", "EndTime", "NodeList"}) {
      EXPECT_THAT(shown, HasSubstr(absl::StrCat(" ", name, "=", words[name], " ")));
    }
  }
  EXPECT_EQ(ended, 3);
}

TEST_F(ScontrolTest, AUserSaysWhetherAJobMayBeRequeued) {
  const v1::UpdateJobsRequest request = Sent({"update", "jobid=7", "requeue=0"});
  EXPECT_THAT(request.update_mask().paths(), ElementsAre("requeue"));
  EXPECT_TRUE(request.upserts(0).has_requeue());
  EXPECT_FALSE(request.upserts(0).requeue());
  EXPECT_THAT(Run({"scontrol", "update", "jobid=7", "requeue=no"}).err,
              HasSubstr("Invalid Requeue value: got \"no\", want 0 or 1"));
}

}  // namespace
}  // namespace priorityd
