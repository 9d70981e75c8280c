#include "storage/configuration/reservation_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/configuration/configuration_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ReservationStoreTest : public StoreTest {
 protected:
  // `reservation` with its new id, in this test's cluster.
  absl::StatusOr<Reservation> Inserted(Reservation reservation) {
    reservation.cluster_id = cluster_.id;
    absl::Status status = Write([&](Transaction& transaction) {
      absl::StatusOr<int64_t> id = ReservationStore(transaction).Insert(reservation);
      if (id.ok()) reservation.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return reservation;
  }
  std::vector<Reservation> List(Edition edition = Edition::kCurrent) {
    return Read([&](Transaction& t) { return ReservationStore(t).List(cluster_.id, edition); })
        .value();
  }

  static Reservation Full() {
    return {.name = "maint",
            .start_time = absl::FromUnixSeconds(1'800'000'000),
            .end_time = absl::FromUnixSeconds(1'800'003'600),
            .nodes = "n[1-4]",
            .partition = "main",
            .users = {"ann", "bob"},
            .users_excluded = true,
            .accounts = {"chem"},
            .accounts_excluded = true,
            .flags = {"MAINT", "IGNORE_JOBS"},
            .deleted_at = {}};
  }
};

TEST_F(ReservationStoreTest, EveryFieldIsReadBack) {
  absl::StatusOr<Reservation> full = Inserted(Full());
  ASSERT_OK(full);
  EXPECT_THAT(List(), ElementsAre(*full));
  full->end_time += absl::Hours(1);
  full->users = {};
  full->users_excluded = false;
  full->nodes = "ALL";
  ASSERT_OK(Write([&](Transaction& t) { return ReservationStore(t).Update(*full); }));
  EXPECT_THAT(List(), ElementsAre(*full));
}

TEST_F(ReservationStoreTest, ANameIsFreeAgainAfterADeletion) {
  const absl::StatusOr<Reservation> first = Inserted(Full());
  ASSERT_OK(first);
  EXPECT_EQ(Inserted(Full()).status().code(), absl::StatusCode::kAlreadyExists);
  ASSERT_OK(Write([&](Transaction& t) {
    return ReservationStore(t).Delete(cluster_.id, first->id, absl::Now());
  }));
  EXPECT_THAT(List(), IsEmpty());
  const absl::StatusOr<Reservation> second = Inserted(Full());
  ASSERT_OK(second);
  EXPECT_THAT(List(), ElementsAre(*second));
}

TEST_F(ReservationStoreTest, AChangeCountsAndIsPublishedWithTheOthers) {
  const auto revision = [&] {
    return Read([&](Transaction& t) { return ConfigurationStore(t).Revision(cluster_.id); })
        .value();
  };
  const int64_t before = revision();
  const absl::StatusOr<Reservation> row = Inserted(Full());
  ASSERT_OK(row);
  EXPECT_GT(revision(), before);
  EXPECT_THAT(List(Edition::kPublished), IsEmpty());
  ASSERT_OK(Write([&](Transaction& t) { return ConfigurationStore(t).Publish(cluster_.id, 1); }));
  EXPECT_THAT(List(Edition::kPublished), ElementsAre(*row));
}

}  // namespace
}  // namespace priorityd::storage
