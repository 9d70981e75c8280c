// Demands by key, on threads without a database.
#include "server/recalculation/pending_demands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>

#include "absl/time/clock.h"

namespace priorityd::recalculation {
namespace {

class PendingDemandsTest : public testing::Test {
 protected:
  Demand DemandOf(const std::string& cluster) {
    return {
        .cluster = cluster,
        .as_of = {},
        .done = [this](const SnapshotOr& result) { results_ += absl::IsAborted(result.status()); },
        .numbers_of = {}};
  }

  std::latch open_{1};  // The work waits for it.
  std::atomic<int> works_ = 0;
  std::atomic<int> results_ = 0;
  RecalculationThreads threads_{{.threads = 2,
                                 .clocks = {.site = absl::Now, .real = absl::Now},
                                 .leads = [] { return true; },
                                 .work = [this](const Agenda::Work&) -> SnapshotOr {
                                   open_.wait();
                                   ++works_;
                                   return absl::AbortedError("the test's result");
                                 }}};
  PendingDemands demands_{&threads_};
};

TEST_F(PendingDemandsTest, ADemandIsMadeOnceUntilItIsDone) {
  threads_.Start();
  for (int i = 0; i < 3; ++i) demands_.Add("first a", DemandOf("a"));
  demands_.Add("first b", DemandOf("b"));
  open_.count_down();
  demands_.AwaitNone();
  EXPECT_EQ(works_, 2);
  EXPECT_EQ(results_, 2);
  demands_.Add("first a", DemandOf("a"));
  demands_.AwaitNone();
  EXPECT_EQ(works_, 3);
  EXPECT_EQ(results_, 3);
}

TEST_F(PendingDemandsTest, ADemandThatIsNeverWorkedOnIsNotPendingAfterTheThreadsStop) {
  demands_.Add("first a", DemandOf("a"));
  threads_.Stop();
  demands_.AwaitNone();
  EXPECT_EQ(works_, 0);
}

TEST_F(PendingDemandsTest, ADemandNeedsNoFunctionForItsResult) {
  threads_.Start();
  open_.count_down();
  demands_.Add("numbers a", {.cluster = "a", .as_of = {}, .done = {}, .numbers_of = 7});
  demands_.AwaitNone();
  EXPECT_EQ(works_, 1);
}

}  // namespace
}  // namespace priorityd::recalculation
