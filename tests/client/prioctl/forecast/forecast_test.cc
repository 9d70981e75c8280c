// prioctl forecast of a job that is not submitted: what it is compared with, and what is shown.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int64_t kNow = 1'795'363'200;

// Whether a job of that partition, QOS, size and time limit could start; the reason if not.
std::string WhyNot(const v1::Job& job) {
  if (job.partitions(0) == "small" && job.cpus() > 16) return "small has 16 CPUs";
  if (job.time_limit().seconds() > 12 * 3600 && job.partitions(0) == "day") {
    return "time limit 1-00:00:00 exceeds MaxTime 12:00:00 of partition day";
  }
  return "";
}

std::string PlaceOf(const v1::Job& job) {
  return absl::StrCat(job.partitions(0), "/", job.qos().empty() ? "normal" : job.qos(0));
}

// A site with the partitions main, big, day and small for ann of chem and the QOS normal and high;
// the user may not use the others.
class ForecastTest : public PrioctlTest {
 protected:
  ForecastTest() {
    fake_.list_partitions.Answer([](const auto& request, v1::ListPartitionsResponse* answer) {
      EXPECT_EQ(request.user(), "ann");
      for (const char* name : {"main", "big", "day", "small", "bio", "closed", "grouped"}) {
        v1::Partition& partition = *answer->add_partitions();
        partition.set_name(name);
        partition.add_usable_accounts(partition.name() == "bio" ? "bio" : "chem");
        partition.add_usable_qos("high");
        partition.add_usable_qos("normal");
        (*partition.mutable_attributes())["State"] = partition.name() == "closed" ? "DRAIN" : "UP";
        if (partition.name() == "grouped") {
          (*partition.mutable_attributes())["AllowGroups"] = "a_group_that_no_host_has";
        }
      }
      return grpc::Status::OK;
    });
    fake_.rank_jobs.Answer([](const auto& request, v1::RankJobsResponse* answer) {
      for (const v1::Job& job : request.jobs().jobs()) {
        const std::string why = WhyNot(job);
        const auto fill = [&](auto* row) {
          row->set_job_id(job.job_id());
          row->set_partition(job.partitions(0));
          row->set_qos(job.qos().empty() ? "normal" : job.qos(0));
        };
        if (why.empty()) {
          fill(answer->add_ranked());
        } else {
          fill(answer->add_ineligible());
          answer->mutable_ineligible()->rbegin()->set_message(why);
        }
      }
      return grpc::Status::OK;
    });
    fake_.forecast_starts.Answer([this](const auto& request, v1::ForecastStartsResponse* answer) {
      answer->mutable_as_of()->set_seconds(kNow);
      for (const v1::Job& job : request.jobs().jobs()) Add(job, answer);
      return grpc::Status::OK;
    });
  }

  // Half start after the minutes of `half_`, nine of ten after twice as many.
  void Add(const v1::Job& job, v1::ForecastStartsResponse* answer) const {
    const auto of_job = half_.find(job.job_id());
    const auto of_place = half_.find(PlaceOf(job));
    const int64_t minutes = of_job != half_.end()     ? of_job->second
                            : of_place != half_.end() ? of_place->second
                                                      : 600;
    v1::StartForecast& forecast = *answer->add_forecasts();
    forecast.set_job_id(job.job_id());
    forecast.set_sentence("It starts.");
    for (const auto& [level, times] : std::map<double, int>{{.1, 0}, {.5, 1}, {.9, 2}}) {
      v1::StartQuantile& quantile = *forecast.add_start();
      quantile.set_level(level);
      quantile.mutable_start_time()->set_seconds(kNow + 60 * minutes * times);
    }
  }

  Finished Forecast(std::vector<std::string> words) {
    std::vector<std::string> all = {"forecast", "--user", "ann", "--account", "chem"};
    all.insert(all.end(), words.begin(), words.end());
    return Run(all);
  }

  // The ids of the jobs for which forecasts were asked.
  std::vector<std::string> Compared() {
    const v1::ForecastStartsRequest asked = fake_.forecast_starts.requests().back();
    std::vector<std::string> ids;
    for (const v1::Job& job : asked.jobs().jobs()) ids.push_back(job.job_id());
    return ids;
  }

  std::map<std::string, int64_t> half_;  // By id, or by partition/QOS.
};

// The rows of the table of variants, without its heading.
std::vector<std::string> RowsOf(const std::string& out) {
  std::vector<std::string> rows;
  bool is_table = false;
  for (const absl::string_view line : absl::StrSplit(out, '\n')) {
    if (is_table && line.empty()) break;
    if (is_table) {
      rows.push_back(absl::StrJoin(absl::StrSplit(line, ' ', absl::SkipEmpty()), " "));
    }
    is_table = is_table || absl::StartsWith(line, "VARIANT");
  }
  return rows;
}

TEST_F(ForecastTest, WhatTheUserMayUseIsComparedAndTheRestIsNot) {
  const Finished run = Forecast({"--cpus", "64", "--time", "1-00:00:00", "--partition", "main"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // `small` is too small and `day` too short; `bio` takes another account, `closed` nothing.
  EXPECT_THAT(Compared(), ElementsAre("as asked", "--time 12:00:00", "--time 06:00:00",
                                      "--time 04:00:00", "--cpus 32", "--cpus 16", "--qos high",
                                      "--partition big", "--partition big --qos high"));
  const v1::Job job = fake_.forecast_starts.requests().back().jobs().jobs(8);
  EXPECT_THAT(job.partitions(), ElementsAre("big"));
  EXPECT_THAT(job.qos(), ElementsAre("high"));
  EXPECT_EQ(job.cpus(), 64);
  EXPECT_EQ(job.time_limit().seconds(), 86'400);
  EXPECT_EQ(job.account(), "chem");
}

TEST_F(ForecastTest, OnlyWhatStartsClearlyEarlierIsShown) {
  // 90 % of ten hours are nine: a minute less is clearly earlier, nine hours are not.
  half_ = {{"as asked", 600},  {"--time 12:00:00", 539}, {"--time 06:00:00", 540},
           {"--cpus 32", 599}, {"big/normal", 300},      {"main/high", 590}};
  const Finished run = Forecast({"--cpus", "64", "--time", "1-00:00:00", "--partition", "main"});
  EXPECT_THAT(RowsOf(run.out), ElementsAre("as asked 10 h 0 min 20 h 0 min",
                                           "--time 12:00:00 8 h 59 min 17 h 58 min",
                                           "--partition big 5 h 0 min 10 h 0 min"));
}

TEST_F(ForecastTest, AChangeOfPartitionAndQosIsShownWhereEachAloneIsClearlyWorse) {
  half_ = {{"big/normal", 300}, {"main/high", 200}, {"big/high", 185}};
  EXPECT_THAT(Forecast({"--cpus", "64", "--partition", "main"}).out,
              Not(HasSubstr("--partition big --qos high")));
  half_["big/high"] = 100;
  EXPECT_THAT(RowsOf(Forecast({"--cpus", "64", "--partition", "main"}).out),
              ElementsAre(HasSubstr("as asked"), HasSubstr("--partition big --qos high 1 h 40 min"),
                          HasSubstr("--qos high 3 h 20 min"), HasSubstr("--partition big 5 h")));
}

TEST_F(ForecastTest, NothingThatIsEarlierIsSaidInOneLine) {
  const Finished run = Forecast({"--cpus", "1", "--partition", "main"});
  EXPECT_THAT(RowsOf(run.out), SizeIs(1));
  // Three partitions in two QOS each, and the other QOS.
  EXPECT_THAT(run.out,
              HasSubstr("Nothing that was compared starts clearly earlier: 7 variants.\n"));
}

TEST_F(ForecastTest, NamedPartitionsAreShownWhateverTheirForecast) {
  const Finished run = Forecast(
      {"--cpus", "64", "--time", "1-00:00:00", "--partition", "main,big,day", "--qos", "normal"});
  EXPECT_THAT(RowsOf(run.out),
              ElementsAre(HasSubstr("as asked"), HasSubstr("--partition big 10 h 0 min")));
  EXPECT_THAT(run.out,
              HasSubstr("--partition day: could not start: time limit 1-00:00:00 exceeds"));
}

TEST_F(ForecastTest, AJobThatCouldNotStartAsAskedHasNoForecast) {
  const Finished run = Forecast({"--cpus", "64", "--partition", "small"});
  EXPECT_THAT(run.out, HasSubstr("as asked: could not start: small has 16 CPUs\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("It starts.")));
  EXPECT_THAT(RowsOf(run.out), testing::Contains(HasSubstr("--cpus 16 10 h")));
  EXPECT_THAT(RowsOf(run.out), testing::Contains(HasSubstr("--partition main 10 h")));
  EXPECT_THAT(RowsOf(run.out), Not(testing::Contains(HasSubstr("as asked"))));
}

TEST_F(ForecastTest, ACallerWithoutAnAssociationReadsHowToNameTheUser) {
  fake_.list_partitions.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto& request, v1::RankJobsResponse* answer) {
    for (const v1::Job& job : request.jobs().jobs()) {
      v1::IneligibleJob& row = *answer->add_ineligible();
      row.set_job_id(job.job_id());
      row.set_reason("InvalidAccount");
      row.set_message("no association");
    }
    return grpc::Status::OK;
  });
  const std::vector<std::string> words = {"forecast", "--account",   "chem", "--cpus",
                                          "1",        "--partition", "main"};
  EXPECT_THAT(Run(words).out, HasSubstr("as asked: could not start: no association\n"
                                        "The user of the job is the caller, "));
  EXPECT_THAT(Run(words).out, HasSubstr("; --user NAME names another.\n"));
  EXPECT_THAT(Forecast({"--cpus", "1", "--partition", "main"}).out, Not(HasSubstr("--user")));
}

TEST_F(ForecastTest, ACallerWhoMayNotListPartitionsOrRankGetsTheOthers) {
  fake_.list_partitions.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::PERMISSION_DENIED, "not yours"); });
  const std::vector<std::string> words = {"--cpus",  "8",           "--time",
                                          "2:00:00", "--partition", "main"};
  half_["--time 01:00:00"] = 60;
  fake_.rank_jobs.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::PERMISSION_DENIED, "not yours"); });
  const Finished run = Forecast(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(Compared(), ElementsAre("as asked", "--time 01:00:00", "--time 00:30:00",
                                      "--time 00:20:00", "--cpus 4", "--cpus 2"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("It starts."), HasSubstr("--time 01:00:00 1 h 0 min")));
}

TEST_F(ForecastTest, AnotherErrorEndsIt) {
  fake_.rank_jobs.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::FAILED_PRECONDITION, "no snapshot"); });
  const Finished run = Forecast({"--cpus", "8", "--partition", "main"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("no snapshot"));
}

// 60 partitions in two QOS are 119 other places; the service takes 100 jobs.
TEST_F(ForecastTest, AsManyAsTheServiceTakesAreCompared) {
  fake_.list_partitions.Answer([](const auto&, v1::ListPartitionsResponse* answer) {
    for (int i = 0; i < 60; ++i) {
      v1::Partition& partition = *answer->add_partitions();
      partition.set_name(i == 0 ? "main" : absl::StrCat("p", i));
      partition.add_usable_accounts("chem");
      partition.add_usable_qos("normal");
      partition.add_usable_qos("high");
    }
    return grpc::Status::OK;
  });
  EXPECT_EQ(Forecast({"--cpus", "1", "--partition", "main"}).exit_code, 0);
  const std::vector<std::string> compared = Compared();
  EXPECT_THAT(compared, SizeIs(100));
  EXPECT_EQ(compared[1 + 59], "--partition p59") << "the 60 changes of one name come first";
}

TEST_F(ForecastTest, JobsThatOneAnswerHasNoRoomForAreWarnedOf) {
  int jobs = 9'999;
  fake_.forecast_starts.Answer([&](const auto&, v1::ForecastStartsResponse* answer) {
    for (int i = 0; i < jobs; ++i) answer->add_forecasts()->set_job_id(absl::StrCat(i));
    return grpc::Status::OK;
  });
  EXPECT_EQ(Run({"forecast"}).err, "");
  ++jobs;
  EXPECT_THAT(Run({"forecast"}).err, HasSubstr("the most of one answer; name the ids of others"));
}

// Of jobs 1 and 2 there are forecasts; 3 and 4 are pending, 5 runs, others are unknown.
class ForecastOfQueueTest : public ForecastTest {
 protected:
  ForecastOfQueueTest() {
    fake_.forecast_starts.Answer([this](const auto& request, v1::ForecastStartsResponse* answer) {
      answer->mutable_as_of()->set_seconds(kNow);
      for (const std::string& job_id : request.job_ids()) {
        if (job_id == "1" || job_id == "2") AddTracked(job_id, answer);
      }
      return grpc::Status::OK;
    });
    fake_.list_jobs.Answer([this](const auto& request, v1::ListJobsResponse* answer) {
      for (const std::string& job_id : request.job_ids()) {
        if (job_id >= "1" && job_id <= "5") AddJob(job_id, answer);
      }
      if (request.job_ids().empty() && is_pending_) AddJob("3", answer);
      return grpc::Status::OK;
    });
  }

  void AddTracked(const std::string& job_id, v1::ForecastStartsResponse* answer) const {
    v1::Job job;
    job.set_job_id(job_id);
    job.add_partitions("main");
    Add(job, answer);
    answer->mutable_forecasts()->rbegin()->set_source(source_);
  }

  static void AddJob(const std::string& job_id, v1::ListJobsResponse* answer) {
    v1::Job& job = *answer->add_jobs()->mutable_job();
    job.set_job_id(job_id);
    job.set_state(job_id == "5" ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_PENDING);
  }

  v1::ForecastSource source_ = v1::FORECAST_SOURCE_TABLE;
  bool is_pending_ = true;  // Whether a job is.
};

TEST_F(ForecastOfQueueTest, AJobWithoutAForecastHasItsReason) {
  EXPECT_THAT(Run({"forecast", "3"}).out, testing::StartsWith("No forecast yet of job 3. "));
  EXPECT_EQ(Run({"forecast", "5"}).out, "No longer pending: job 5.\n");
  EXPECT_EQ(Run({"forecast", "9"}).out, "Not in the queue: job 9.\n");
  EXPECT_EQ(Run({"forecast", "9_7"}).out,
            "An array has one forecast: name it instead of job 9_7.\n");
  const std::string all = Run({"forecast", "1", "9", "4", "5", "2", "3", "3"}).out;
  EXPECT_THAT(all, AllOf(HasSubstr("\nNo forecast yet of jobs 4, 3. "),
                         HasSubstr("\nNo longer pending: job 5.\nNot in the queue: job 9.\n")));
  EXPECT_THAT(all, HasSubstr("\n2 "));
}

TEST_F(ForecastOfQueueTest, TheQueueIsAskedOnlyForJobsWithoutAForecast) {
  EXPECT_EQ(Run({"forecast", "1"}).out, "It starts.\n");
  EXPECT_THAT(fake_.list_jobs.requests(), SizeIs(0));
  Run({"forecast", "1", "9"});
  ASSERT_THAT(fake_.list_jobs.requests(), SizeIs(1));
  const v1::ListJobsRequest asked = fake_.list_jobs.requests().back();
  EXPECT_THAT(asked.job_ids(), ElementsAre("9"));
}

TEST_F(ForecastOfQueueTest, AQueueWithoutForecastsIsNoQueueWithoutPendingJobs) {
  EXPECT_THAT(Run({"forecast"}).out, testing::StartsWith("No pending job has a forecast yet. "));
  is_pending_ = false;
  EXPECT_EQ(Run({"forecast"}).out, "No job is pending.\n");
}

TEST_F(ForecastOfQueueTest, AnAnswerNamesAtMostTwentyJobsWithoutAForecast) {
  std::vector<std::string> words = {"forecast"};
  for (int i = 901; i <= 922; ++i) words.push_back(absl::StrCat(i));
  EXPECT_THAT(Run(words).out, testing::EndsWith(", 919, 920 and 2 more.\n"));
}

TEST_F(ForecastOfQueueTest, BeforeTheFirstStartSeveralJobsHaveTheSentenceOfOne) {
  source_ = v1::FORECAST_SOURCE_NOTHING;
  EXPECT_EQ(Run({"forecast", "1"}).out, "It starts.\n");
  EXPECT_EQ(Run({"forecast", "1", "2"}).out, "It starts.\n");
}

TEST_F(ForecastTest, JsonNamesEachVariant) {
  const Finished run = Forecast({"--cpus", "2", "--partition", "main", "--json"});
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("\"jobId\":\"as asked\""), HasSubstr("\"jobId\":\"--cpus 1\""),
                    HasSubstr("\"jobId\":\"--partition big\"")));
}

}  // namespace
}  // namespace priorityd
