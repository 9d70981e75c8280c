#include "storage/grants/grant_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

absl::Time Day(int day) { return absl::FromUnixSeconds(1'767'225'600 + day * 86'400); }

Grant Quarter(const std::string& name) {
  return {.name = name,
          .accounts = {"a{1},\"é", "b"},
          .user_name = "",
          .tres = "gres/gpu",
          .begin_time = Day(0),
          .window_kind = "quarter",
          .carry_over = 100'000,
          .carry_cap = 500'000,
          .carry_windows = 2,
          .carry_half_life = absl::Hours(360),
          .borrow = 1,
          .grace = 200'000,
          .use_order = -3,
          .consequence = "demote",
          .demoted_qos = "low",
          .consequence_value = "FairShare=10%",
          .by_coordinator = true};
}

class GrantStoreTest : public StoreTest {
 protected:
  // With its new id.
  Grant Inserted(Grant grant) {
    grant.id =
        Write([&](Transaction& t) { return GrantStore(t).Insert(cluster_.id, grant); }).value();
    return grant;
  }
  std::vector<Grant> List() {
    return Read([&](Transaction& t) { return GrantStore(t).List(cluster_.id); }).value();
  }
};

TEST_F(GrantStoreTest, GrantsAreListedInTheOrderOfCreationWithEverySetting) {
  const Grant first = Inserted(Quarter("z"));
  Grant other = Quarter("a");
  other.end_time = Day(30);
  other.carry_cap.reset();
  other.carry_half_life.reset();
  const Grant second = Inserted(other);
  EXPECT_EQ(List(), (std::vector<Grant>{first, second}));
}

TEST_F(GrantStoreTest, AnUpdateWritesEverythingButTheName) {
  Grant grant = Inserted(Quarter("g"));
  grant.accounts = {"c"};
  grant.consequence = "block";
  grant.revoked_at = Day(3);
  ASSERT_OK(Write([&](Transaction& t) { return GrantStore(t).Update(cluster_.id, grant); }));
  EXPECT_EQ(List(), std::vector<Grant>{grant});
  grant.id += 1;
  const absl::Status unknown =
      Write([&](Transaction& t) { return GrantStore(t).Update(cluster_.id, grant); });
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound) << unknown;
}

TEST_F(GrantStoreTest, FromTheFirstGrantOfACoordinatorOnNoProgramStartsThatKnowsNone) {
  const auto compatible_from = [&] {
    return Read([](Transaction& t) {
             return t.QueryOne(OnlyColumn<int32_t>,
                               "SELECT compatible_from FROM priorityd.schema_migration "
                               "WHERE name = '0054_grants_of_coordinators'");
           })
        .value();
  };
  Grant grant = Quarter("of an operator");
  grant.by_coordinator = false;
  Inserted(grant);
  EXPECT_LT(compatible_from(), 54);
  Inserted(Quarter("of a coordinator"));
  EXPECT_EQ(compatible_from(), 54);
}

TEST_F(GrantStoreTest, ANameIsGivenOnce) {
  Inserted(Quarter("g"));
  auto again =
      Write([&](Transaction& t) { return GrantStore(t).Insert(cluster_.id, Quarter("g")); });
  EXPECT_EQ(again.status().code(), absl::StatusCode::kAlreadyExists) << again.status();
}

TEST_F(GrantStoreTest, AmountsOfVersionsAndTransfersAreExact) {
  const int64_t from = Inserted(Quarter("from")).id;
  const int64_t to = Inserted(Quarter("to")).id;
  const std::string tiny = "123456789012345678901.000000000000000001";
  const GrantVersion version = {from, Day(0), "6000.5", "ann", "as agreed"};
  const GrantVersion newer = {from, Day(9), tiny, "bob", ""};
  const GrantTransfer transfer = {from, to, Day(5), tiny, "ann", "by mail"};
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    GrantStore store(t);
    absl::Status status = store.AddVersion(cluster_.id, version);
    if (status.ok()) status = store.AddVersion(cluster_.id, newer);
    if (status.ok()) status = store.AddTransfer(cluster_.id, transfer);
    return status;
  }));
  EXPECT_EQ(Read([&](Transaction& t) { return GrantStore(t).ListVersions(cluster_.id); }).value(),
            (std::vector<GrantVersion>{version, newer}));
  EXPECT_EQ(Read([&](Transaction& t) { return GrantStore(t).ListTransfers(cluster_.id); }).value(),
            std::vector<GrantTransfer>{transfer});
}

}  // namespace
}  // namespace priorityd::storage
