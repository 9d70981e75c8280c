// Requests to the leader, and its answers, through the database.
#include "server/recalculation/leader_requests.h"

#include <gtest/gtest.h>

#include "engine/errors/error_details.h"
#include "storage/snapshots/replica_session.h"
#include "tests/engine/priority/small_site.h"
#include "tests/storage/test_database.h"

namespace priorityd::recalculation {
namespace {

using Result = absl::StatusOr<std::shared_ptr<const priority::Snapshot>>;

class LeaderRequestsTest : public testing::Test {
 protected:
  int64_t Post() { return PostRequest(database_, {.cluster_name = "c"}).value(); }
  std::vector<storage::RecalculationRequest> Open() {
    return ListRequests(database_, absl::Hours(1)).value();
  }

  storage::Database database_{{.url = storage::NewTestDatabase()}};
};

TEST_F(LeaderRequestsTest, ARequestIsListedUntilItIsAnswered) {
  const absl::Time as_of = absl::FromUnixSeconds(1'700'000'000);
  const int64_t first = Post();
  const int64_t second = PostRequest(database_, {.cluster_name = "d", .as_of = as_of}).value();
  EXPECT_EQ(Open(), (std::vector<storage::RecalculationRequest>{{first, "c", std::nullopt},
                                                                {second, "d", as_of}}));
  ASSERT_TRUE(
      AnswerRequest(database_, {.id = first, .cluster_name = "c"}, absl::InternalError("")).ok());
  ASSERT_EQ(Open().size(), 1);
  EXPECT_EQ(Open()[0].id, second);
}

TEST_F(LeaderRequestsTest, TheAnswerIsTheGenerationThatWasComputed) {
  const int64_t id = Post();
  EXPECT_EQ(FindAnswer(database_, id).value(), std::nullopt);
  priority::SmallSite site;
  site.source.generation = 7;
  ASSERT_TRUE(AnswerRequest(database_, {.id = id, .cluster_name = "c"}, Result(site.Build())).ok());
  EXPECT_EQ(FindAnswer(database_, id).value(), 7);
}

TEST_F(LeaderRequestsTest, TheLeadersErrorIsAnsweredWithItsCodeAndReason) {
  const int64_t id = Post();
  const absl::Status error =
      errors::WithReason(absl::FailedPreconditionError("as_of: got one"), "CLOCK_IS_REAL");
  ASSERT_TRUE(AnswerRequest(database_, {.id = id, .cluster_name = "c"}, error).ok());
  const absl::Status answer = FindAnswer(database_, id).status();
  EXPECT_EQ(answer.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(answer.message(), "as_of: got one");
  EXPECT_EQ(errors::ReasonOf(answer), "CLOCK_IS_REAL");
}

TEST_F(LeaderRequestsTest, RequestsThatNobodyWaitsForAreNotListed) {
  Post();
  EXPECT_TRUE(ListRequests(database_, absl::ZeroDuration()).value().empty());
}

TEST_F(LeaderRequestsTest, RequestAndAnswerNotifyTheReplicas) {
  auto listener = storage::ReplicaSession::Open(database_).value();
  const int64_t id = Post();
  EXPECT_TRUE(listener->AwaitNotification(absl::Minutes(1)).value());
  // An error publishes nothing that would notify them.
  ASSERT_TRUE(
      AnswerRequest(database_, {.id = id, .cluster_name = "c"}, absl::InternalError("")).ok());
  EXPECT_TRUE(listener->AwaitNotification(absl::Minutes(1)).value());
}

}  // namespace
}  // namespace priorityd::recalculation
