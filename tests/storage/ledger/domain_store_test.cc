#include "storage/ledger/domain_store.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class DomainStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    for (const char* name : {"alpha", "beta"}) {
      auto created = Write([&](Transaction& t) { return ClusterStore(t).FindOrCreate(name); });
      ASSERT_OK(created);
      clusters_.push_back(*std::move(created));
    }
  }
  // Of the domain `test`.
  DomainMember Member(int i) const {
    return {.cluster_id = clusters_[i].id,
            .cluster = clusters_[i].name,
            .domain_id = cluster_.id,
            .domain = cluster_.name,
            .prices = {{"billing", 0.1}, {"gres/gpu", 1.0 / 3}}};
  }
  template <typename Work>
  void Do(Work work) {
    ASSERT_OK(Write([&](Transaction& t) {
      DomainStore store(t);
      return work(store);
    }));
  }
  std::vector<DomainMember> Members() {
    return Read([&](Transaction& t) { return DomainStore(t).MembersOf(cluster_.id); }).value();
  }
  // With names of its own.
  DomainShareRow Shares(int64_t generation) const {
    return {.domain_id = cluster_.id,
            .domain = cluster_.name,
            .generation = generation,
            .names = {{"a", "a\"b"}, {"", "ann"}},
            .fair_shares = {1.0 / 3, 5e-324}};
  }
  // With stored names.
  DomainShareRow Packed(int64_t generation, int64_t version) const {
    DomainShareRow shares = Shares(generation);
    shares.names_version = version;
    shares.names = {};
    return shares;
  }
  // Stored under `version` with the shares of this generation.
  void AppendNamesAndShares(int64_t version, int64_t generation) {
    Do([&](DomainStore& store) {
      const absl::Status named = store.AppendNames(cluster_.id, version, Shares(generation).names);
      return named.ok() ? store.AppendShares(Packed(generation, version)) : named;
    });
  }
  std::optional<DomainNameColumns> Names(int64_t version) {
    return Read([&](Transaction& t) { return DomainStore(t).FindNames(cluster_.id, version); })
        .value();
  }
  std::optional<DomainShareRow> Found(int64_t generation) {
    return Read([&](Transaction& t) {
             return DomainStore(t).FindShares({cluster_.id, generation});
           })
        .value();
  }
  DomainGeneration Published(int i) {
    return Read([&](Transaction& t) { return DomainStore(t).PublishedFor(clusters_[i].id); })
        .value();
  }

  std::vector<Cluster> clusters_;
};

TEST_F(DomainStoreTest, AMemberIsStoredWithWhatIsSettled) {
  Do([&](DomainStore& store) { return store.Put(Member(0)); });
  Do([&](DomainStore& store) { return store.Put(Member(1)); });
  DomainMember member = Members().at(0);
  EXPECT_EQ(member.prices, Member(0).prices);
  EXPECT_EQ(member.counts_from, absl::InfinitePast());
  EXPECT_EQ(member.settled_at, absl::InfinitePast());
  member.settled_seq = 7;
  member.newest_end = Microseconds(5);
  member.counted = 3;
  member.refused = 2;
  member.refused_why = "a \"why\"";
  Do([&](DomainStore& store) { return store.SetSettled({member}); });
  const auto found =
      Read([&](Transaction& t) { return DomainStore(t).Find(clusters_[0].id); }).value();
  EXPECT_GT(found->settled_at, absl::InfinitePast());
  member.settled_at = found->settled_at;
  EXPECT_EQ(found, member);
  // Nothing is settled once it joins again.
  Do([&](DomainStore& store) { return store.Put(Member(0)); });
  EXPECT_EQ(Members()[0].settled_seq, 0);
  EXPECT_EQ(Members()[0].refused_why, "");
  EXPECT_TRUE(*Write([&](Transaction& t) { return DomainStore(t).Remove(clusters_[0].id); }));
  EXPECT_FALSE(*Write([&](Transaction& t) { return DomainStore(t).Remove(clusters_[0].id); }));
  EXPECT_EQ(Members().size(), 1);
}

TEST_F(DomainStoreTest, MembersThatAreLockedAreLeftOutUnlessWaitedFor) {
  Do([&](DomainStore& store) { return store.Put(Member(0)); });
  Do([&](DomainStore& store) { return store.Put(Member(1)); });
  const std::vector<int32_t> ids = {clusters_[1].id, clusters_[0].id, cluster_.id};
  const auto names = [&](Transaction& t, bool waits) {
    std::vector<std::string> locked;
    const auto members = DomainStore(t).Lock(ids, waits);
    for (const DomainMember& member : *members) locked.push_back(member.cluster);
    return locked;
  };
  ASSERT_OK(Write([&](Transaction& first) -> absl::Status {
    if (auto held = DomainStore(first).Find(clusters_[0].id, /*locks=*/true); !held.ok()) {
      return held.status();
    }
    return Write([&](Transaction& t) -> absl::Status {
      EXPECT_EQ(names(t, /*waits=*/false), std::vector<std::string>{"beta"});
      return absl::OkStatus();
    });
  }));
  ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
    EXPECT_EQ(names(t, /*waits=*/true), (std::vector<std::string>{"alpha", "beta"}));
    return absl::OkStatus();
  }));
}

TEST_F(DomainStoreTest, SharesStayWhileAMemberHasPublishedThem) {
  Do([&](DomainStore& store) { return store.Put(Member(0)); });
  Do([&](DomainStore& store) { return store.AppendShares(Shares(1)); });
  EXPECT_EQ(Found(1), Shares(1));
  const DomainGeneration first = {cluster_.id, 1};
  EXPECT_EQ(Read([&](Transaction& t) { return DomainStore(t).NewestFor(clusters_[0].id); }).value(),
            NewestOfDomain{.of = first});
  // Of a cluster that is no member.
  EXPECT_EQ(Read([&](Transaction& t) { return DomainStore(t).NewestFor(clusters_[1].id); }).value(),
            NewestOfDomain());
  Do([&](DomainStore& store) { return store.Publish(clusters_[0].id, first); });
  EXPECT_EQ(Published(0), first);
  EXPECT_EQ(Read([&](Transaction& t) { return DomainStore(t).PublisherOf(cluster_.id); }).value(),
            "alpha");
  for (int64_t generation = 2; generation <= 20; ++generation) {
    Do([&](DomainStore& store) { return store.AppendShares(Shares(generation)); });
  }
  EXPECT_TRUE(Found(1).has_value());
  EXPECT_FALSE(Found(2).has_value());
  EXPECT_TRUE(Found(20).has_value());
  const absl::Status deleted = Write([&](Transaction& t) {
    return DomainStore(t).Publish(clusters_[0].id, {cluster_.id, 2});
  });
  EXPECT_TRUE(absl::IsAborted(deleted)) << deleted;
  Do([&](DomainStore& store) { return store.Publish(clusters_[0].id, {}); });
  EXPECT_EQ(Published(0), DomainGeneration());
}

TEST_F(DomainStoreTest, SharesOfOneTreeHaveTheSameNames) {
  AppendNamesAndShares(1, 1);
  Do([&](DomainStore& store) { return store.AppendShares(Packed(2, 1)); });
  EXPECT_EQ(Found(1), Packed(1, 1));
  EXPECT_EQ(Found(2), Packed(2, 1));
  EXPECT_EQ(Names(1), Shares(1).names);
  EXPECT_EQ(Names(2), std::nullopt);
}

TEST_F(DomainStoreTest, SharesWithoutStoredNamesAreRefused) {
  EXPECT_FALSE(
      Write([&](Transaction& t) { return DomainStore(t).AppendShares(Packed(1, 1)); }).ok());
}

// Published by a member meanwhile.
TEST_F(DomainStoreTest, NamesStayWhileSharesHaveThem) {
  AppendNamesAndShares(1, 1);
  Do([&](DomainStore& store) { return store.Publish(clusters_[0].id, {cluster_.id, 1}); });
  AppendNamesAndShares(2, 2);
  AppendNamesAndShares(11, 11);
  EXPECT_TRUE(Names(1).has_value());
  EXPECT_FALSE(Names(2).has_value());
  Do([&](DomainStore& store) { return store.Publish(clusters_[0].id, {cluster_.id, 11}); });
  Do([&](DomainStore& store) { return store.AppendShares(Packed(12, 11)); });
  EXPECT_FALSE(Names(1).has_value());
  EXPECT_TRUE(Names(11).has_value());
}

// Programs that read the three arrays report an error then, and take no share for 0.
TEST_F(DomainStoreTest, ArraysOfSharesWithStoredNamesHaveDifferentLengths) {
  AppendNamesAndShares(1, 1);
  const auto differ = Read([](Transaction& t) {
    return t.QueryOne(OnlyColumn<bool>,
                      "SELECT cardinality(accounts) <> cardinality(fair_shares) "
                      "FROM priorityd.domain_share");
  });
  EXPECT_TRUE(differ.value());
}

TEST_F(DomainStoreTest, SharesOfADomainWithoutMembersAreForgottenWhenOneJoins) {
  Do([&](DomainStore& store) { return store.AppendShares(Shares(1)); });
  Do([&](DomainStore& store) { return store.Put(Member(0)); });
  EXPECT_EQ(Found(1), std::nullopt);
}

TEST_F(DomainStoreTest, SharesThatAFormerMemberHasPublishedStayWhenAnotherJoins) {
  Do([&](DomainStore& store) { return store.AppendShares(Shares(1)); });
  Do([&](DomainStore& store) { return store.Publish(clusters_[0].id, {cluster_.id, 1}); });
  Do([&](DomainStore& store) { return store.Put(Member(1)); });
  EXPECT_EQ(Found(1), Shares(1));
  EXPECT_EQ(Published(0), (DomainGeneration{cluster_.id, 1}));
}

TEST_F(DomainStoreTest, DeletionOfSharesDoesNotWaitForOneThatPublishesThem) {
  Do([&](DomainStore& store) { return store.AppendShares(Shares(1)); });
  Do([&](DomainStore& publishing) {
    const absl::Status status = publishing.Publish(clusters_[0].id, {cluster_.id, 1});
    Do([&](DomainStore& store) { return store.Put(Member(1)); });
    Do([&](DomainStore& store) { return store.AppendShares(Shares(20)); });
    return status;
  });
  EXPECT_EQ(Found(1), Shares(1));
  EXPECT_EQ(Published(0), (DomainGeneration{cluster_.id, 1}));
}

TEST_F(DomainStoreTest, AssociationsThatTheDomainLacksAreNamed) {
  InsertAccounts({{"root", -1}, {"a", 0}});
  const Cluster domain = cluster_;
  cluster_ = clusters_[0];
  InsertAccounts({{"root", -1}, {"a", 0}, {"c", 0}, {"b", 0}});
  const auto missing = Read([&](Transaction& t) {
                         return DomainStore(t).MissingOf(cluster_.id, domain.id, 1);
                       }).value();
  EXPECT_EQ(missing.count, 2);
  EXPECT_EQ(missing.first, std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace priorityd::storage
