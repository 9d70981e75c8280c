// When the service is asked, and what is kept of how it answered.
#include "server/site_factor/site_factors.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tests/await.h"
#include "tests/engine/priority/small_site.h"
#include "tests/server/queue/replication/stored_queue.h"
#include "tests/server/site_factor/scripted_service.h"

namespace priorityd::site_factor {
namespace {

constexpr char kAddress[] = "localhost:7";
const absl::Time kNow = absl::FromUnixSeconds(1'900'000'000);

class SiteFactorsTest : public testing::Test {
 protected:
  SiteFactorsTest() { queue_.Upsert({"1"}); }

  std::shared_ptr<const priority::Snapshot> Recalculate(priority::ClockMode clock,
                                                        const std::string& plugin = kAddress) {
    priority::Policy policy;
    policy.site_factor_plugin = plugin;
    policy.clock = clock;
    return queue_.Recalculate(policy);
  }
  storage::SiteFactorSource Source() {
    return queue_.queues().FindSiteFactorSource("small").value().value();
  }
  bool AwaitAnsweredAt(absl::Time time) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (Source().answered_at != time) {
      if (absl::Now() > deadline) return false;
      absl::SleepFor(absl::Milliseconds(5));
    }
    return true;
  }

  queue::StoredQueue queue_;
  Script script_{Everything(50)};
  std::vector<std::string> addresses_;
  SiteFactors site_factors_{&queue_.queues(),
                            [this](const std::string& address) {
                              addresses_.push_back(address);
                              return std::make_unique<ScriptedService>(&script_);
                            },
                            [] { return kNow; }};
};

TEST_F(SiteFactorsTest, OnAManualClockTheRoundIsDoneWhenTheCallReturns) {
  const auto snapshot = Recalculate(priority::ClockMode::kManual);
  site_factors_.RequestOnManualClock(snapshot);
  EXPECT_EQ(queue::SiteFactorsOf(**queue_.queues().State("small")), std::vector<int64_t>{50});
  EXPECT_EQ(Source().answered_at, snapshot->computed_at());
  EXPECT_EQ(addresses_, std::vector<std::string>{kAddress});
}

TEST_F(SiteFactorsTest, OnARealClockTheRoundFollowsAndItsTimeIsTheClocks) {
  site_factors_.AskOnRealClock(Recalculate(priority::ClockMode::kReal));
  EXPECT_TRUE(AwaitAnsweredAt(kNow));
  EXPECT_EQ(queue::SiteFactorsOf(**queue_.queues().State("small")), std::vector<int64_t>{50});
}

TEST_F(SiteFactorsTest, EachCallLeavesTheOtherClockAlone) {
  site_factors_.AskOnRealClock(Recalculate(priority::ClockMode::kManual));
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kReal));
  // A round of this would have asked about the job a second time.
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual));
  EXPECT_EQ(script_.asked().size(), 1);
}

TEST_F(SiteFactorsTest, WithoutAPluginNobodyIsAsked) {
  site_factors_.AskOnRealClock(Recalculate(priority::ClockMode::kReal, ""));
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual, ""));
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual));
  EXPECT_EQ(script_.asked().size(), 1);
}

TEST_F(SiteFactorsTest, OfRecalculationsDuringARoundTheNewestIsFollowedByOne) {
  absl::Notification asked, go_on;
  script_.SetAnswer([&](const Script::Asked& question) {
    if (!asked.HasBeenNotified()) asked.Notify();
    go_on.WaitForNotificationWithTimeout(absl::Minutes(1));
    return Everything(50)(question);
  });
  site_factors_.AskOnRealClock(Recalculate(priority::ClockMode::kReal));
  ASSERT_TRUE(asked.WaitForNotificationWithTimeout(absl::Minutes(1)));
  site_factors_.AskOnRealClock(Recalculate(priority::ClockMode::kReal));
  const auto newest = Recalculate(priority::ClockMode::kReal);
  site_factors_.AskOnRealClock(newest);
  go_on.Notify();
  ASSERT_TRUE(script_.AwaitAsked(2));
  EXPECT_EQ(script_.asked()[1].as_of, newest->computed_at());
  // A later round comes after all those before.
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual));
  EXPECT_EQ(script_.asked().size(), 3);
}

TEST_F(SiteFactorsTest, ADatabaseThatLostTransactionsIsAskedAboutAtItsOlderGeneration) {
  const auto older = Recalculate(priority::ClockMode::kManual);
  const auto lost = Recalculate(priority::ClockMode::kManual);
  ASSERT_LT(older->generation(), lost->generation());
  site_factors_.RequestOnManualClock(lost);
  site_factors_.RequestOnManualClock(older);
  ASSERT_EQ(script_.asked().size(), 2);
  EXPECT_EQ(script_.asked()[1].as_of, older->computed_at());
  site_factors_.RequestOnManualClock(older);  // The same again.
  EXPECT_EQ(script_.asked().size(), 2);
}

TEST_F(SiteFactorsTest, AFailureIsKeptBesideTheLastAnswer) {
  const auto first = Recalculate(priority::ClockMode::kManual);
  site_factors_.RequestOnManualClock(first);
  script_.SetAnswer([](const Script::Asked&) { return absl::UnavailableError("gone"); });
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual));
  EXPECT_EQ(Source().answered_at, first->computed_at());
  EXPECT_EQ(Source().failure, "UNAVAILABLE: gone");
  EXPECT_EQ(queue::SiteFactorsOf(**queue_.queues().State("small")), std::vector<int64_t>{50});
}

TEST_F(SiteFactorsTest, OfAForgottenClusterNoSnapshotIsKept) {
  Recalculate(priority::ClockMode::kReal);
  priority::SmallSite site;  // Its snapshot is nowhere else.
  site.source.policy.site_factor_plugin = kAddress;
  std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
  const std::weak_ptr<const priority::Snapshot> kept = snapshot;
  site_factors_.AskOnRealClock(std::move(snapshot));
  ASSERT_TRUE(AwaitAnsweredAt(kNow));
  EXPECT_FALSE(kept.expired());
  site_factors_.Forget("small");
  // The thread of the round may have it for a moment.
  EXPECT_TRUE(Await([&] { return kept.expired(); }));
  // A cluster of the same name may follow.
  site_factors_.RequestOnManualClock(Recalculate(priority::ClockMode::kManual));
  EXPECT_EQ(script_.asked().size(), 2);
}

// Answers when it is cancelled.
class SilentService : public SiteFactorService {
 public:
  explicit SilentService(absl::Notification* asked) : asked_(asked) {}
  void Ask(const Question&, std::function<void(Answer)> done) override {
    done_ = std::move(done);
    asked_->Notify();
  }
  void Cancel() override { done_(absl::CancelledError("")); }

 private:
  absl::Notification* const asked_;
  std::function<void(Answer)> done_;
};

TEST_F(SiteFactorsTest, ACallerDoesNotWaitForTheRoundOfAForgottenCluster) {
  absl::Notification asked;
  SiteFactors site_factors(
      &queue_.queues(), [&](const std::string&) { return std::make_unique<SilentService>(&asked); },
      [] { return kNow; });
  const auto snapshot = Recalculate(priority::ClockMode::kManual);
  std::thread caller([&] { site_factors.RequestOnManualClock(snapshot); });
  EXPECT_TRUE(asked.WaitForNotificationWithTimeout(absl::Minutes(1)));
  site_factors.Forget("small");
  caller.join();
  EXPECT_EQ(Source().failure, "");
}

}  // namespace
}  // namespace priorityd::site_factor
