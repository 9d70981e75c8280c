#include "storage/grants/domain_grant_store.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "storage/ledger/domain_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using Standings = std::vector<GrantStanding>;

// cluster_ is the domain and the member here: each table has its own rows.
class DomainGrantStoreTest : public StoreTest {
 protected:
  static GrantStanding StandingAt(int64_t place, double available, double used) {
    return {.place = place,
            .name = "g",
            .accounts = {"a", "b,{c}"},
            .user_name = "",
            .tres = "cpu=1,gres/gpu=20",
            .available = available,
            .used = used,
            .until_time = absl::InfiniteFuture(),
            .has_others = true,
            .consequence = "demote",
            .demoted_qos = "low",
            .consequence_value = "1000"};
  }
  Standings Listed() {
    return Read([&](Transaction& t) { return DomainGrantStore(t).List(cluster_.id); }).value();
  }
  void Replace(const Standings& standings) {
    const Standings present = Listed();
    ASSERT_OK(Write([&](Transaction& t) {
      return DomainGrantStore(t).Replace(cluster_.id, present, standings);
    }));
    EXPECT_EQ(Listed(), standings);
  }
  // The transaction that wrote the row of this place.
  std::string WriterOf(int64_t place) {
    return Read([&](Transaction& t) {
             return t.QueryOne(OnlyColumn<std::string>,
                               "SELECT xmin::text FROM priorityd.domain_grant "
                               "WHERE cluster_id = $1 AND place = $2::bigint",
                               {cluster_.id, place});
           })
        .value();
  }
};

TEST_F(DomainGrantStoreTest, WhatAMemberHasIsReplaced) {
  Replace({StandingAt(3, 1.0 / 3, 12), StandingAt(7, 60, 60)});
  Replace({StandingAt(7, 60, 61)});
  Replace({});
}

TEST_F(DomainGrantStoreTest, WhatStaysIsNotWritten) {
  Replace({StandingAt(0, 60, 61), StandingAt(1, 60, 62), StandingAt(2, 60, 63)});
  const std::string first = WriterOf(1);
  Replace({StandingAt(0, 60, 61), StandingAt(1, 60, 64), StandingAt(2, 60, 63)});
  EXPECT_EQ(WriterOf(0), first);
  EXPECT_NE(WriterOf(1), first);
  EXPECT_EQ(WriterOf(2), first);
  Replace({StandingAt(0, 60, 61)});
  EXPECT_EQ(WriterOf(0), first);
}

TEST_F(DomainGrantStoreTest, OfADomainOnlyWhatIsUsedUpAndHasAConsequenceIsListed) {
  Standings all = {StandingAt(0, 60, 59.9),       StandingAt(1, 60, 60), StandingAt(2, 0, 0),
                   StandingAt(3, 1e12, 1e12 - 1), StandingAt(4, 60, 61), StandingAt(5, 60, 61)};
  all.back().consequence = "none";
  ASSERT_OK(Write([&](Transaction& t) {
    return UsagePoolStore(t).ReplaceStandings(cluster_.id, Standings(), all);
  }));
  const auto used_up =
      Read([&](Transaction& t) { return DomainGrantStore(t).ListUsedUp(cluster_.id); });
  EXPECT_EQ(used_up.value(), (Standings{all[1], all[2], all[3], all[4]}));
  EXPECT_EQ(Listed(), Standings());
}

TEST_F(DomainGrantStoreTest, AMemberIsGivenWhetherItsDomainHasGrants) {
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    auto member = ClusterStore(t).FindOrCreate("member");
    if (!member.ok()) return member.status();
    const int32_t id = member->id;
    DomainStore store(t);
    absl::Status status = store.Put({.cluster_id = id, .domain_id = cluster_.id});
    if (status.ok()) status = store.AppendShares({.domain_id = cluster_.id, .generation = 7});
    if (!status.ok()) return status;
    const DomainGeneration newest = {cluster_.id, 7};
    EXPECT_EQ(store.NewestFor(id).value(), NewestOfDomain{.of = newest});
    status = UsagePoolStore(t).ReplaceStandings(cluster_.id, Standings(), {StandingAt(0, 60, 1)});
    EXPECT_EQ(store.NewestFor(id).value(), (NewestOfDomain{.of = newest, .has_grants = true}));
    return status;
  }));
}

}  // namespace
}  // namespace priorityd::storage
