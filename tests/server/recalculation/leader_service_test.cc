// Requests of other replicas, on threads that do not work.
#include "server/recalculation/leader_service.h"

#include <gtest/gtest.h>

#include <optional>

#include "absl/time/clock.h"
#include "server/recalculation/leader_requests.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

TEST(LeaderServiceTest, ALeaderThatStopsLeavesARequestToTheNextOne) {
  storage::Database database({.url = storage::NewTestDatabase()});
  const absl::StatusOr<int64_t> id = PostRequest(database, {.cluster_name = "c"});
  ASSERT_TRUE(id.ok()) << id.status();
  RecalculationThreads threads({.threads = 1,
                                .clocks = {.site = absl::Now, .real = absl::Now},
                                .leads = [] { return true; },
                                .work = [](const Agenda::Work&) -> SnapshotOr {
                                  return absl::InternalError("no work is expected");
                                }});
  PendingDemands demands(&threads);
  LeaderService service(&database, &database, absl::Hours(1), &demands);
  ASSERT_TRUE(service.AnswerAll().ok());
  threads.Stop();
  const absl::StatusOr<std::optional<int64_t>> answer = FindAnswer(database, *id);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, std::nullopt);
  const auto open = ListRequests(database, absl::Hours(1));
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->size(), 1u);
}

}  // namespace
}  // namespace priorityd::recalculation
