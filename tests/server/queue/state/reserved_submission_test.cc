// Submissions that name a reservation.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "server/queue/state/submission.h"
#include "tests/server/queue/state/queue_update_fixture.h"

namespace priorityd::queue {
namespace {

class ReservedSubmissionTest : public QueueUpdateTest {
 protected:
  UpdateResult Submit(const TrackedJob& job) {
    Start();
    return Upsert(job);
  }
};

// The texts are sbatch's, of a real Slurm 22.05.
TEST_F(ReservedSubmissionTest, WhereThereAreReservationsAJobNamesOneThatItMayUse) {
  TrackedJob job = Pending("1");
  job.job.reservation = "r";
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted) << "the frontend's word";
  site_.source.reservations = {{.name = "r",
                                .start = priority::kNow + absl::Hours(1),
                                .end = priority::kNow + absl::Hours(2),
                                .nodes = "n1",
                                .users = {{std::string(job.job.user)}}}};
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted) << "it has not begun, the job waits";
  site_.source.reservations[0].users.excludes = true;
  const UpdateResult denied = Submit(job);
  EXPECT_EQ(denied.outcome, UpdateOutcome::kRefused);
  EXPECT_EQ(denied.reason, "Reservation");
  EXPECT_TRUE(absl::StartsWith(denied.message, "Access denied to requested reservation: "))
      << denied.message;
  job.job.reservation = "x";
  EXPECT_EQ(Submit(job).message, "Requested reservation is invalid: reservation x does not exist");
  site_.source.reservations[0].users.excludes = false;
  site_.source.reservations[0].end = priority::kNow;
  site_.source.reservations[0].start = priority::kNow - absl::Hours(1);
  job.job.reservation = "r";
  EXPECT_TRUE(absl::StartsWith(Submit(job).message, "Requested reservation is invalid: "));
  job.job.reservation = "";
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
}

TEST_F(ReservedSubmissionTest, AChangedJobIsCheckedForANewReservation) {
  site_.source.reservations = {{.name = "r",
                                .start = priority::kNow,
                                .end = priority::kNow + absl::Hours(2),
                                .nodes = "n1",
                                .users = {{"nobody"}}}};
  TrackedJob job = Pending("1");
  EXPECT_EQ(Submit(job).outcome, UpdateOutcome::kUpserted);
  job.job.nice = 5;
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kUpserted);
  job.job.reservation = "r";
  EXPECT_EQ(Upsert(job).outcome, UpdateOutcome::kRefused);
}

}  // namespace
}  // namespace priorityd::queue
