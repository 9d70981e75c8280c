// ForecastStarts and ScoreForecasts through the whole service.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "server/forecasts/books.h"
#include "server/messages/convert_time.h"
#include "storage/database/database.h"
#include "storage/jobs/forecast_store.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using google::protobuf::util::MessageDifferencer;
using palmetto::At;
using palmetto::Waits;
using testing::HasSubstr;

class ForecastStartsTest : public testing::Test {
 protected:
  ForecastStartsTest() {
    Import(service_, palmetto::Site());
    SetNow(At(8, 0));
  }

  void SetNow(absl::Time now) {
    now_ = now;
    service_.SetNow(now);
  }
  void Look(TestService& service) { service.forecasts().RunTurn(); }

  // Ten minutes after each job begins to wait, it starts; it runs for five.
  void LiveThrough(int jobs) {
    for (int i = 0; i < jobs; ++i) {
      v1::Job job = Waits(absl::StrCat("job-", i), now_, 1, 60);
      UpdateJobs(service_, Upserts({job}));
      Look(service_);
      SetNow(now_ + absl::Minutes(10));
      job.set_state(v1::JOB_STATE_RUNNING);
      *job.mutable_start_time() = ToTimestamp(now_);
      UpdateJobs(service_, Upserts({job}));
      Look(service_);
      SetNow(now_ + absl::Minutes(5));
      UpdateJobs(service_, Removal(job.job_id()));
      Look(service_);
    }
  }

  v1::ForecastStartsResponse Forecast(TestService& service,
                                      const v1::ForecastStartsRequest& request = {},
                                      grpc::Status* status = nullptr) {
    return AnswerTo<v1::ForecastStartsResponse>(service, request, status);
  }

  v1::SimulateResponse Simulate(const v1::SimulateRequest& request, grpc::Status* status) {
    v1::SimulateResponse response;
    *status = CallUnary(service_, request, &response);
    return response;
  }

  v1::ScoreForecastsResponse Score() {
    v1::ScoreForecastsResponse response;
    const grpc::Status done = CallUnary(service_, v1::ScoreForecastsRequest(), &response);
    EXPECT_TRUE(done.ok()) << done.error_message();
    return response;
  }

  TestService service_;
  absl::Time now_;
};

TEST_F(ForecastStartsTest, JobsThatAlwaysWaitTenMinutesAreForecastToWaitTenMinutes) {
  LiveThrough(60);
  UpdateJobs(service_, Upserts({Waits("next", now_, 1, 60)}));
  Look(service_);
  const v1::ForecastStartsResponse response = Forecast(service_);
  ASSERT_EQ(response.forecasts_size(), 1);
  const v1::StartForecast& forecast = response.forecasts(0);
  EXPECT_EQ(forecast.job_id(), "next");
  ASSERT_EQ(forecast.start_size(), 5);
  absl::Time before = now_;
  for (const v1::StartQuantile& quantile : forecast.start()) {
    const absl::Time start = ToTime(quantile.start_time());
    EXPECT_GE(start, before) << quantile.level();
    before = start;
  }
  EXPECT_EQ(ToTime(forecast.start(2).start_time()), now_ + absl::Minutes(10));
  EXPECT_EQ(response.score().count(), 60);
  EXPECT_THAT(forecast.sentence(), HasSubstr("Of the last 60 forecasts "));
}

// The events of the site's cluster.
std::vector<storage::ForecastEventRow> EventsOf(TestService& service) {
  return service.database()
      .Read([](storage::Transaction& transaction) {
        return storage::ForecastStore(transaction).List(1, 0, 100);
      })
      .value();
}

// Site: ten nodes of ten CPUs.
TEST_F(ForecastStartsTest, TheEventOfASubmissionHasThePlannedStart) {
  UpdateJobs(service_, Upserts({palmetto::Runs("runs", now_, 10, 60)}));
  Look(service_);
  v1::Job wide = Waits("wide", now_, 100, 60);
  wide.set_nodes(10);
  UpdateJobs(service_, Upserts({wide}));
  Look(service_);
  const auto events = EventsOf(service_);
  ASSERT_FALSE(events.empty());
  const storage::ForecastEventRow& event = events.back();
  ASSERT_EQ(event.job_id, "wide");
  EXPECT_EQ(event.planned_wait, 3600) << "when the running job ends by its time limit";
  ASSERT_TRUE(event.expected_wait.has_value());
  EXPECT_LE(*event.expected_wait, 3600);
  EXPECT_FALSE(event.earliest_wait.has_value()) << "there are no reservations";
}

TEST_F(ForecastStartsTest, BeforeTheFirstStartNothingIsKnown) {
  UpdateJobs(service_, Upserts({Waits("1", now_, 1, 60)}));
  EXPECT_EQ(Forecast(service_).forecasts_size(), 0) << "no look at the queue yet";
  Look(service_);
  const v1::ForecastStartsResponse response = Forecast(service_);
  ASSERT_EQ(response.forecasts_size(), 1);
  EXPECT_EQ(response.forecasts(0).source(), v1::FORECAST_SOURCE_NOTHING);
  EXPECT_EQ(response.score().count(), 0);
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("1");
  EXPECT_FALSE(ExplainPriority(service_, request).has_forecast());
}

TEST_F(ForecastStartsTest, AJobThatWaitsIsForecastToWaitNoLessThanItHas) {
  LiveThrough(30);
  UpdateJobs(service_, Upserts({Waits("late", now_, 1, 60)}));
  Look(service_);
  SetNow(now_ + absl::Hours(3));
  const v1::ForecastStartsResponse response = Forecast(service_);
  ASSERT_EQ(response.forecasts_size(), 1);
  EXPECT_GE(ToTime(response.forecasts(0).start(0).start_time()), now_);
}

TEST_F(ForecastStartsTest, AReplicaThatStartsHasTheSameForecastsToTheBit) {
  LiveThrough(340);
  Recalculate(service_);  // Else the one that is due may come between the two.
  UpdateJobs(service_, Upserts({Waits("1", now_, 2, 60), Waits("2", now_, 10, 600)}));
  Look(service_);
  v1::ForecastStartsRequest request;
  request.set_influences(true);
  *request.mutable_jobs()->add_jobs() = Waits("supposed", now_, 4, 30);
  for (const char* id : {"1", "2"}) request.add_job_ids(id);
  const v1::ForecastStartsResponse led = Forecast(service_, request);
  ASSERT_EQ(led.forecasts_size(), 3);
  EXPECT_EQ(led.forecasts(0).source(), v1::FORECAST_SOURCE_FOREST);
  EXPECT_GE(led.forecasts(0).model(), 1);

  TestService::Options options;
  options.database_url = service_.database_url();
  TestService other(options);
  other.SetNow(now_);
  EXPECT_TRUE(other.queues().ReadChanges().ok());
  Look(other);
  const v1::ForecastStartsResponse followed = Forecast(other, request);
  EXPECT_TRUE(MessageDifferencer::Equals(led, followed))
      << led.DebugString() << followed.DebugString();
}

TEST_F(ForecastStartsTest, AHeldJobDoesNotWaitForItsStart) {
  v1::Job held = Waits("1", now_, 1, 60);
  held.set_hold(v1::HOLD_USER);
  UpdateJobs(service_, Upserts({held, Waits("2", now_, 1, 60)}));
  Look(service_);
  EXPECT_EQ(Forecast(service_).forecasts_size(), 1);
  held.set_hold(v1::HOLD_UNSPECIFIED);
  UpdateJobs(service_, Upserts({held}));
  Look(service_);
  EXPECT_EQ(Forecast(service_).forecasts_size(), 2);
}

TEST_F(ForecastStartsTest, ScoresAreOfAllJobsAndByGroup) {
  LiveThrough(20);
  const v1::ScoreForecastsResponse response = Score();
  std::vector<std::string> groups;
  for (const v1::ForecastScore& score : response.scores()) {
    groups.push_back(score.group());
    EXPECT_EQ(score.count(), 20) << score.group();
    EXPECT_EQ(score.started_by_size(), 5);
  }
  EXPECT_THAT(groups, testing::Contains(""));
  EXPECT_THAT(groups, testing::Contains("user=amy"));
  EXPECT_THAT(groups, testing::Contains("size=1 CPU"));
}

// Amy may run one job at a time: MaxJobs holds the second one.
TEST_F(ForecastStartsTest, WhetherALimitHoldsAJobIsStoredWithItsSubmission) {
  TestService service;
  v1::ImportRequest site = palmetto::Site("AccountingStorageEnforce=limits\n");
  for (v1::File& file : *site.mutable_files()) {
    file.set_content(absl::StrReplaceAll(file.content(), {{"'amy':", "'amy':MaxJobs=1:"}}));
  }
  Import(service, site);
  service.SetNow(now_);
  v1::Job runs = Waits("1", now_, 1, 60);
  runs.set_state(v1::JOB_STATE_RUNNING);
  *runs.mutable_start_time() = ToTimestamp(now_);
  v1::Job other = Waits("3", now_, 1, 60);
  other.set_user("ben");
  UpdateJobs(service, Upserts({runs, Waits("2", now_, 1, 60), other}));
  Look(service);
  const auto events = service.database().Read([](storage::Transaction& transaction) {
    return storage::ForecastStore(transaction).List(1, 0, 100);
  });
  ASSERT_TRUE(events.ok()) << events.status();
  std::map<std::string, std::optional<double>> held;
  for (const auto& event : *events) held[event.job_id] = event.held_by_limit;
  EXPECT_EQ(held["2"], 1);
  EXPECT_EQ(held["3"], 0);
  EXPECT_EQ(held["1"], std::nullopt);
}

// Whether the interval has the quantiles .1, .5 and .9 of a forecast at the default levels.
bool IsOf(const v1::StartForecast& forecast, const v1::StartInterval& interval) {
  return MessageDifferencer::Equals(forecast.start(0).start_time(), interval.q10_time()) &&
         MessageDifferencer::Equals(forecast.start(2).start_time(), interval.q50_time()) &&
         MessageDifferencer::Equals(forecast.start(4).start_time(), interval.q90_time()) &&
         forecast.source() == interval.source();
}

TEST_F(ForecastStartsTest, AListOnWishHasTheIntervalOfEachPendingJob) {
  LiveThrough(60);
  v1::Job runs = Waits("runs", now_, 1, 60);
  runs.set_state(v1::JOB_STATE_RUNNING);
  UpdateJobs(service_, Upserts({Waits("next", now_, 1, 60), runs}));
  Look(service_);
  v1::ListJobsRequest request;
  const v1::ListJobsResponse plain = ListJobs(service_, request);
  for (const v1::TrackedJob& job : plain.jobs()) EXPECT_FALSE(job.has_start_interval());
  request.set_with_forecasts(true);
  const v1::ListJobsResponse jobs = ListJobs(service_, request);
  ASSERT_EQ(jobs.jobs_size(), 2);
  ASSERT_EQ(jobs.jobs(0).job().job_id(), "next");
  EXPECT_TRUE(IsOf(Forecast(service_).forecasts(0), jobs.jobs(0).start_interval()));
  EXPECT_FALSE(jobs.jobs(1).has_start_interval());
}

class ForecastWatch {
 public:
  explicit ForecastWatch(TestService& service) : stub_(PriorityStub(service)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
    v1::WatchRankingRequest request;
    request.set_with_forecasts(true);
    stream_ = stub_.WatchRanking(&context_, request);
  }
  ~ForecastWatch() {
    context_.TryCancel();
    stream_->Finish();
  }

  v1::WatchRankingResponse Next() {
    v1::WatchRankingResponse response;
    EXPECT_TRUE(stream_->Read(&response));
    return response;
  }

 private:
  v1::PriorityService::Stub& stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> stream_;
};

TEST_F(ForecastStartsTest, AWatchSendsForecastsAsTheyAreMade) {
  LiveThrough(60);
  UpdateJobs(service_, Upserts({Waits("next", now_, 1, 60)}));
  ForecastWatch watch(service_);
  const v1::WatchRankingResponse first = watch.Next();
  ASSERT_EQ(first.state().ranked_size(), 1);
  EXPECT_FALSE(first.state().ranked(0).has_start_interval());
  Look(service_);
  const v1::WatchRankingResponse second = watch.Next();
  ASSERT_EQ(second.delta().changed_size(), 1);
  EXPECT_TRUE(
      IsOf(Forecast(service_).forecasts(0), second.delta().changed(0).row().start_interval()));
  // Ten seconds of waiting move no time by a minute.
  SetNow(now_ + absl::Seconds(10));
  UpdateJobs(service_, Upserts({Waits("other", now_, 1, 60)}));
  const v1::WatchRankingResponse third = watch.Next();
  EXPECT_EQ(third.delta().entered_size(), 1);
  EXPECT_EQ(third.delta().changed_size(), 0) << third.DebugString();
}

// Four jobs wait for ever. Of others, those with a nice value go ahead of them and start after ten
// minutes, and the rest after four hours.
TEST_F(ForecastStartsTest, ASimulationForecastsBothPlaces) {
  std::vector<v1::Job> stuck;
  for (int i = 0; i < 4; ++i) stuck.push_back(Waits(absl::StrCat("stuck", i), now_, 1, 60));
  UpdateJobs(service_, Upserts(stuck));
  for (int round = 0; round < 340; ++round) {
    v1::Job job = Waits(absl::StrCat("job", round), now_, 1, 60);
    if (round % 2 == 0) job.set_nice(-100);
    UpdateJobs(service_, Upserts({job}));
    Look(service_);
    SetNow(now_ + (round % 2 == 0 ? absl::Minutes(10) : absl::Hours(4)));
    job.set_state(v1::JOB_STATE_RUNNING);
    *job.mutable_start_time() = ToTimestamp(now_);
    UpdateJobs(service_, Upserts({job}));
    Look(service_);
    SetNow(now_ + absl::Minutes(5));
    UpdateJobs(service_, Removal(job.job_id()));
    Look(service_);
  }
  v1::Job preferred = Waits("preferred", now_, 1, 60);
  preferred.set_nice(-100);
  v1::Job held = Waits("held", now_, 1, 60);
  held.set_hold(v1::HOLD_USER);
  UpdateJobs(service_, Upserts({preferred, held}));
  Look(service_);
  v1::SimulateRequest request;
  request.mutable_tracked();
  request.set_with_forecasts(true);
  grpc::Status status;
  Simulate(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "best_only,limit");
  request.set_limit(10);
  request.set_best_only(true);
  request.set_policy_text(
      absl::StrReplaceAll(palmetto::Site().files(0).content(),
                          {{"PriorityType=priority/multifactor", "PriorityType=priority/basic"}}));
  const v1::SimulateResponse response = Simulate(request, &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::map<std::string, v1::SimulatedRow> rows;
  for (const v1::SimulatedRow& row : response.rows()) rows[row.job_id()] = row;
  const v1::SimulatedPlace& before = rows["preferred"].before();
  const v1::SimulatedPlace& after = rows["preferred"].after();
  ASSERT_EQ(before.rank(), 1u);
  ASSERT_EQ(after.rank(), 5u);
  EXPECT_EQ(before.start_interval().source(), v1::FORECAST_SOURCE_FOREST);
  EXPECT_LT(ToTime(before.start_interval().q50_time()), ToTime(after.start_interval().q50_time()));
  EXPECT_FALSE(rows["held"].before().has_start_interval());
  EXPECT_FALSE(rows["held"].after().has_start_interval());
  request.mutable_jobs();
  Simulate(request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "with_forecasts");
}

TEST_F(ForecastStartsTest, AServerWithoutForecastsSaysSo) {
  TestService::Options options;
  options.makes_forecasts = false;
  TestService service(options);
  Import(service, palmetto::Site());
  grpc::Status status;
  Forecast(service, {}, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status).reason, "NO_FORECASTS");
  v1::ListJobsRequest request;
  request.set_with_forecasts(true);
  ListJobs(service, request, &status);
  EXPECT_EQ(DetailsOf(status).reason, "NO_FORECASTS");
}

TEST_F(ForecastStartsTest, LevelsAreAscendingPartsOfOne) {
  grpc::Status status;
  v1::ForecastStartsRequest request;
  for (const double level : {.5, .4}) request.add_levels(level);
  Forecast(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "levels[1]");
  request.clear_levels();
  request.add_levels(1);
  Forecast(service_, request, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "levels[0]");
}

}  // namespace
}  // namespace priorityd::rpc
