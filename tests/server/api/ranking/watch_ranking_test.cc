// WatchRanking over gRPC, beside RankJobs of the same queue.
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/ranking_watch.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/api/priority_service.h"
#include "server/queue/replication/tracked_queues.h"
#include "server/transport/server.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::google::protobuf::util::MessageDifferencer;

v1::RankJobsResponse Ranked(TestService& service, const v1::WatchRankingRequest& watch) {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(watch.limit() == 0 ? 100 : watch.limit());
  request.set_ineligible_limit(request.limit());
  request.set_best_only(watch.best_only());
  request.set_view(watch.view());
  *request.mutable_partitions() = watch.partitions();
  *request.mutable_accounts() = watch.accounts();
  *request.mutable_users() = watch.users();
  return RankJobs(service, request);
}

// A client that watches.
class Watch {
 public:
  explicit Watch(TestService& service, v1::WatchRankingRequest request = {})
      : Watch(service, service.channel(), std::move(request)) {}
  Watch(TestService& service, const std::shared_ptr<grpc::Channel>& channel,
        v1::WatchRankingRequest request)
      : service_(service),
        request_(std::move(request)),
        stub_(v1::PriorityService::NewStub(channel)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(2)));
    stream_ = stub_->WatchRanking(&context_, request_);
  }

  bool Read() {
    if (!stream_->Read(&answer_)) return false;
    const absl::Status applied = top_.Apply(answer_);
    EXPECT_TRUE(applied.ok()) << applied;
    return true;
  }
  grpc::Status Finish() { return stream_->Finish(); }
  void Cancel() { context_.TryCancel(); }

  const v1::WatchRankingResponse& answer() const { return answer_; }
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const v1::RankedJob& row : top_.ranked()) ids.push_back(row.job_id());
    return ids;
  }
  // And in either view has the users of the jobs, as RankJobs does in the FULL one.
  bool SameAsRankJobs() const {
    v1::RankJobsResponse want = Ranked(service_, request_);
    v1::WatchRankingRequest in_full = request_;
    in_full.set_view(v1::RANK_VIEW_FULL);
    const v1::RankJobsResponse full = Ranked(service_, in_full);
    for (int i = 0; i < want.ranked_size(); ++i) {
      want.mutable_ranked(i)->set_user(full.ranked(i).user());
      want.mutable_ranked(i)->set_account(full.ranked(i).account());
      want.mutable_ranked(i)->set_priority_tier(full.ranked(i).priority_tier());
    }
    for (int i = 0; i < want.ineligible_size(); ++i) {
      want.mutable_ineligible(i)->set_user(full.ineligible(i).user());
      want.mutable_ineligible(i)->set_account(full.ineligible(i).account());
    }
    if (!request_.ineligible()) want.clear_ineligible();
    if (top_.ineligible().size() != want.ineligible_size()) return false;
    for (int i = 0; i < want.ineligible_size(); ++i) {
      if (!MessageDifferencer::Equals(top_.ineligible()[i], want.ineligible(i))) return false;
    }
    if (top_.ranked().size() != want.ranked_size()) return false;
    for (int i = 0; i < want.ranked_size(); ++i) {
      if (!MessageDifferencer::Equals(top_.ranked(i), want.ranked(i))) return false;
    }
    return true;
  }

 private:
  // Gives SameAsRankJobs an index.
  class Top : public client::WatchedTop {
   public:
    using client::WatchedTop::ranked;
    const v1::RankedJob& ranked(int i) const { return ranked()[i]; }
  };

  TestService& service_;
  const v1::WatchRankingRequest request_;
  const std::unique_ptr<v1::PriorityService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> stream_;
  v1::WatchRankingResponse answer_;
  Top top_;
};

using Ids = std::vector<std::string>;

// Recalculated on demand only.
constexpr char kPolicy[] =
    "PriorityWeightFairshare=100000\nPriorityWeightAge=1000\nPriorityCalcPeriod=5256000\n";

class WatchRankingTest : public ::testing::Test {
 protected:
  WatchRankingTest() {
    Import(service_, SmallSite(kPolicy));
    service_.SetNow(TestEpoch() + absl::Hours(24));
  }

  grpc::Status StatusOf(const v1::WatchRankingRequest& request) {
    Watch watch(service_, request);
    EXPECT_FALSE(watch.Read());
    return watch.Finish();
  }

  TestService service_;
};

TEST_F(WatchRankingTest, BeginsWithWhatRankJobsAnswers) {
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2", "ben"), JobOf("3", "cat")}));
  v1::WatchRankingRequest request;
  request.set_view(v1::RANK_VIEW_FULL);
  request.set_limit(2);
  Watch watch(service_, request);
  ASSERT_TRUE(watch.Read());
  EXPECT_TRUE(watch.answer().has_state());
  EXPECT_TRUE(watch.SameAsRankJobs());
  const v1::RankJobsResponse ranked = Ranked(service_, request);
  EXPECT_EQ(watch.answer().ranked_total(), 3u);
  EXPECT_TRUE(MessageDifferencer::Equals(watch.answer().snapshot(), ranked.snapshot()));
  EXPECT_TRUE(MessageDifferencer::Equals(watch.answer().as_of(), ranked.as_of()));
}

TEST_F(WatchRankingTest, AQueueThatIsEmptyYetIsWatchedToo) {
  Watch watch(service_);
  ASSERT_TRUE(watch.Read());
  EXPECT_TRUE(watch.answer().has_state());
  UpdateJobs(service_, Upserts({JobOf("1")}));
  ASSERT_TRUE(watch.Read());
  EXPECT_EQ(watch.Ids(), Ids({"1"}));
}

TEST_F(WatchRankingTest, ReportsWhatAnUpdateChanges) {
  v1::WatchRankingRequest request;
  request.set_limit(3);
  UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2"), JobOf("3"), JobOf("4")}));
  Watch watch(service_, request);
  ASSERT_TRUE(watch.Read());
  EXPECT_EQ(watch.Ids(), Ids({"1", "2", "3"}));
  v1::UpdateJobsRequest update = Removal("1");
  v1::Job third = JobOf("3");
  third.set_nice(-50);
  *update.add_upserts() = third;
  UpdateJobs(service_, update);
  ASSERT_TRUE(watch.Read());
  const v1::RankingDelta& delta = watch.answer().delta();
  ASSERT_EQ(delta.left_size(), 1);
  EXPECT_EQ(delta.left(0).job_id(), "1");
  EXPECT_EQ(delta.left(0).partition(), "main");
  ASSERT_EQ(delta.entered_size(), 1);
  EXPECT_EQ(delta.entered(0).job_id(), "4");
  EXPECT_EQ(delta.entered(0).rank(), 3u);
  ASSERT_EQ(delta.changed_size(), 1);  // The second job stays the second.
  EXPECT_EQ(delta.changed(0).row().job_id(), "3");
  EXPECT_EQ(delta.changed(0).row().rank(), 1u);
  EXPECT_EQ(delta.changed(0).previous_rank(), 3u);
  EXPECT_EQ(delta.changed(0).row().priority(), delta.changed(0).previous_priority() + 50);
  EXPECT_EQ(watch.Ids(), Ids({"3", "2", "4"}));
}

// What does not touch the top is not sent: the last job each time does.
TEST_F(WatchRankingTest, ManyUpdatesAddUpToWhatRankJobsAnswers) {
  std::mt19937 random(5);
  v1::WatchRankingRequest requests[4];
  requests[0].set_limit(4);
  requests[1].set_view(v1::RANK_VIEW_FULL);
  requests[2].add_users("cat");
  requests[3].set_best_only(true);
  requests[3].add_accounts("a");
  for (int i = 0; i < 3; ++i) requests[i].set_ineligible(true);
  std::vector<std::unique_ptr<Watch>> watches;
  for (const auto& request : requests) {
    watches.push_back(std::make_unique<Watch>(service_, request));
    ASSERT_TRUE(watches.back()->Read());
  }
  const std::vector<std::string> users = {"amy", "ben", "cat"};
  for (int step = 0; step < 40; ++step) {
    v1::UpdateJobsRequest update;
    for (int n = random() % 6; n > 0; --n) {
      const std::string id = absl::StrCat(random() % 20);
      if (random() % 3 == 0) {
        update.add_removals(id);
        continue;
      }
      v1::Job job = JobOf(id, users[random() % 3]);
      job.set_nice(static_cast<int>(random() % 100));
      if (random() % 5 == 0) job.set_state(v1::JOB_STATE_RUNNING);
      if (random() % 3 == 0) job.set_hold(v1::HOLD_USER);
      *update.add_upserts() = job;
    }
    for (const std::string& user : users) {
      v1::Job first = JobOf("first " + user, user);
      first.set_nice(-1000 - 2 * step);
      *update.add_upserts() = first;
    }
    UpdateJobs(service_, update);
    for (auto& watch : watches) {
      ASSERT_TRUE(watch->Read());
      EXPECT_TRUE(watch->answer().has_delta());
      EXPECT_TRUE(watch->SameAsRankJobs()) << "step " << step;
    }
  }
}

TEST_F(WatchRankingTest, ReportsWhyJobsCannotStartAndWhenTheyCan) {
  v1::Job held = JobOf("2");
  held.set_hold(v1::HOLD_USER);
  UpdateJobs(service_, Upserts({JobOf("1"), held}));
  v1::WatchRankingRequest request;
  request.set_ineligible(true);
  Watch watch(service_, request);
  ASSERT_TRUE(watch.Read());
  ASSERT_EQ(watch.answer().ineligible_total(), 1u);
  EXPECT_EQ(watch.answer().state().ineligible(0).reason(), "JobHeldUser");
  UpdateJobs(service_, Upserts({JobOf("2")}));
  ASSERT_TRUE(watch.Read());
  ASSERT_EQ(watch.answer().delta().no_longer_ineligible_size(), 1);
  EXPECT_EQ(watch.answer().delta().no_longer_ineligible(0), "2");
}

TEST_F(WatchRankingTest, ReportsWhatARecalculationChanges) {
  UpdateJobs(service_, Upserts({JobOf("1", "ben"), JobOf("2", "cat")}));
  Watch watch(service_);
  ASSERT_TRUE(watch.Read());
  v1::UsageRecord record = Usage("r", TestEpoch(), absl::Hours(1), 1);
  record.set_account("b");
  record.set_user("cat");
  v1::RecordUsageRequest usage;
  *usage.add_records() = record;
  RecordUsage(service_, usage);
  Recalculate(service_);
  ASSERT_TRUE(service_.queues().ReadChanges().ok());
  ASSERT_TRUE(watch.Read());
  EXPECT_TRUE(watch.answer().has_delta());
  EXPECT_EQ(watch.answer().snapshot().generation(), 2);
  EXPECT_TRUE(watch.SameAsRankJobs());
}

TEST_F(WatchRankingTest, ReportsChangesSentToAnotherReplica) {
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(service_.now());
  Watch watch(other);
  ASSERT_TRUE(watch.Read());
  UpdateJobs(service_, Upserts({JobOf("1")}));
  ASSERT_TRUE(other.queues().ReadChanges().ok());
  ASSERT_TRUE(watch.Read());
  EXPECT_EQ(watch.Ids(), Ids({"1"}));
}

TEST_F(WatchRankingTest, ReportsWhatTimeAloneChanges) {
  UpdateJobs(service_, Upserts({JobOf("1")}));
  v1::WatchRankingRequest request;
  request.mutable_age_interval()->set_nanos(100'000'000);
  Watch watch(service_, request);
  ASSERT_TRUE(watch.Read());
  const uint32_t before = watch.answer().state().ranked(0).priority();
  service_.SetNow(service_.now() + absl::Hours(50));
  ASSERT_TRUE(watch.Read());
  ASSERT_EQ(watch.answer().delta().changed_size(), 1);
  EXPECT_EQ(watch.answer().delta().changed(0).previous_priority(), before);
  EXPECT_GT(watch.answer().delta().changed(0).row().priority(), before);
}

TEST_F(WatchRankingTest, OnAManualClockTimeIsThatOfTheSnapshot) {
  TestService service;
  Import(service, SmallSite(absl::StrCat(kPolicy, "Clock=manual\n")));
  v1::RecalculateRequest at;
  *at.mutable_as_of() = ToTimestamp(TestEpoch());
  Recalculate(service, at);
  service.SetNow(TestEpoch() + absl::Hours(1));
  v1::Job job = JobOf("1");
  *job.mutable_submit_time() = ToTimestamp(TestEpoch() - absl::Hours(10));
  UpdateJobs(service, Upserts({job}));
  Watch watch(service);
  ASSERT_TRUE(watch.Read());
  EXPECT_TRUE(MessageDifferencer::Equals(watch.answer().as_of(), ToTimestamp(TestEpoch())));
  *at.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(20));
  Recalculate(service, at);
  ASSERT_TRUE(service.queues().ReadChanges().ok());
  ASSERT_TRUE(watch.Read());
  EXPECT_TRUE(MessageDifferencer::Equals(watch.answer().as_of(), at.as_of()));
  EXPECT_EQ(watch.answer().delta().changed_size(), 1);
}

// Every update moves all 3000 rows, some 500 KB a message.
TEST_F(WatchRankingTest, ASlowReaderGetsAFreshStateInsteadOfABacklog) {
  constexpr int kJobs = 3000, kUpdates = 25;
  std::vector<v1::Job> jobs;
  for (int i = 0; i < kJobs; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  UpdateJobs(service_, Upserts(jobs));
  v1::WatchRankingRequest request;
  request.set_limit(kJobs);
  request.set_view(v1::RANK_VIEW_FULL);
  Watch quick(service_, request), slow(service_, NarrowChannel(service_), request);
  ASSERT_TRUE(quick.Read());
  ASSERT_TRUE(slow.Read());
  for (int i = 1; i <= kUpdates; ++i) {
    v1::Job first = JobOf("first");
    first.set_nice(-i);
    UpdateJobs(service_, i % 2 == 1 ? Upserts({first}) : Removal("first"));
    ASSERT_TRUE(quick.Read());
    EXPECT_TRUE(quick.answer().has_delta());
  }
  int answers = 0, states = 0;
  while (!slow.SameAsRankJobs()) {
    ASSERT_TRUE(slow.Read());
    ++answers;
    states += slow.answer().has_state();
  }
  EXPECT_LT(answers, kUpdates / 2);
  EXPECT_GE(states, 1);
  UpdateJobs(service_, Upserts({JobOf("first", "ben")}));
  ASSERT_TRUE(slow.Read());
  EXPECT_TRUE(slow.answer().has_delta());
  EXPECT_TRUE(slow.SameAsRankJobs());
}

TEST_F(WatchRankingTest, ARequestOutOfRangeIsRefusedByField) {
  v1::WatchRankingRequest request;
  request.set_limit(10'001);
  request.set_view(static_cast<v1::RankView>(9));
  request.add_users(std::string("a\0b", 3));
  request.mutable_age_interval()->set_nanos(99'999'999);
  request.mutable_min_interval()->set_seconds(3601);
  const grpc::Status status = StatusOf(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "limit,view,users[0],age_interval,min_interval");
  request.Clear();
  request.mutable_min_interval()->set_seconds(-1);
  EXPECT_EQ(DetailsOf(StatusOf(request)).Fields(), "min_interval");
  request.Clear();
  request.set_limit(10'000);
  request.mutable_age_interval()->set_nanos(100'000'000);
  request.mutable_min_interval()->set_seconds(3600);
  Watch watch(service_, request);
  EXPECT_TRUE(watch.Read());
}

TEST_F(WatchRankingTest, AnUnknownClusterIsRefused) {
  v1::WatchRankingRequest request;
  request.set_cluster("other");
  const grpc::Status status = StatusOf(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_CLUSTER");
}

TEST_F(WatchRankingTest, AServiceThatStopsEndsEveryWatch) {
  Watch watch(service_);
  ASSERT_TRUE(watch.Read());
  service_.priority_service().Drain();
  Watch late(service_);
  for (Watch* ended : {&watch, &late}) {
    EXPECT_FALSE(ended->Read());
    const grpc::Status status = ended->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(DetailsOf(status).reason, "STOPPING");
    EXPECT_TRUE(DetailsOf(status).has_retry_info);
  }
  service_.server().Drain(absl::Minutes(1));
}

TEST_F(WatchRankingTest, AWatcherWhoGoesAwayLeavesNothingBehind) {
  for (int i = 0; i < 20; ++i) {
    Watch watch(service_);
    if (i % 2 == 0) {
      ASSERT_TRUE(watch.Read());
    }
    watch.Cancel();
    watch.Finish();
  }
  service_.server().Drain(absl::Minutes(1));  // Would wait for an open watch.
}

}  // namespace
}  // namespace priorityd::rpc
