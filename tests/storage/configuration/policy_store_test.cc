#include "storage/configuration/policy_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class PolicyStoreTest : public StoreTest {
 protected:
  // `policy` with its new number, in this test's cluster.
  PolicyVersion Appended(PolicyVersion policy) {
    policy.cluster_id = cluster_.id;
    EXPECT_OK(Write([&](Transaction& transaction) {
      absl::StatusOr<int64_t> version = PolicyStore(transaction).Append(policy);
      if (version.ok()) policy.version = *version;
      return version.status();
    }));
    return policy;
  }
  std::vector<HalfLife> HalfLives() {
    return Read([&](Transaction& t) { return PolicyStore(t).HalfLives(cluster_.id); }).value();
  }

  PolicyVersion Text(const std::string& text) {
    return {.files = {{"slurm.conf", text}}, .applied_at = Microseconds(5)};
  }
};

TEST_F(PolicyStoreTest, EveryFieldIsReadBackTheTextWordForWord) {
  PolicyVersion policy;
  for (const std::string& text : AwkwardTexts()) policy.files.push_back({text, text + "\r\n"});
  policy.applied_at = Microseconds(1700000000123456);
  policy.applied_by = "ada";
  policy.comment = "because";
  policy.reset_anchor = Microseconds(1600000000000001);
  policy.reset_floor = Microseconds(1500000000000002);
  policy = Appended(policy);
  EXPECT_EQ(Read([&](Transaction& t) { return PolicyStore(t).Newest(cluster_.id); }).value(),
            policy);
}

TEST_F(PolicyStoreTest, WithoutAResetTheFloorIsInfinitelyLongAgo) {
  EXPECT_EQ(Appended(Text("a")).reset_floor, absl::InfinitePast());
  EXPECT_EQ(Read([&](Transaction& t) { return PolicyStore(t).Find(cluster_.id, 1); })
                .value()
                ->reset_floor,
            absl::InfinitePast());
}

TEST_F(PolicyStoreTest, AnAnchorThatIsSetStays) {
  PolicyVersion unset = Text("a");
  unset.reset_anchor = absl::InfinitePast();
  Appended(unset);
  PolicyVersion set = Text("b");
  set.reset_anchor = Microseconds(7);
  Appended(set);
  ASSERT_OK(Write([&](Transaction& transaction) {
    return PolicyStore(transaction).SetUnsetAnchors(cluster_.id, Microseconds(9));
  }));
  const auto anchor = [&](int64_t version) {
    return Read([&](Transaction& t) { return PolicyStore(t).Find(cluster_.id, version); })
        .value()
        ->reset_anchor;
  };
  EXPECT_EQ(anchor(1), Microseconds(9));
  EXPECT_EQ(anchor(2), Microseconds(7));
}

TEST_F(PolicyStoreTest, VersionsCountFromOneInEachCluster) {
  EXPECT_EQ(Appended(Text("a")).version, 1);
  EXPECT_EQ(Appended(Text("b")).version, 2);
  ASSERT_OK(Write([&](Transaction& transaction) {
    auto other = ClusterStore(transaction).FindOrCreate("other");
    if (!other.ok()) return other.status();
    PolicyVersion policy = Text("c");
    policy.cluster_id = other->id;
    EXPECT_EQ(PolicyStore(transaction).Append(policy).value(), 1);
    return absl::OkStatus();
  }));
}

TEST_F(PolicyStoreTest, BeforeTheFirstThereIsNone) {
  EXPECT_EQ(Read([&](Transaction& t) { return PolicyStore(t).Newest(cluster_.id); }).value(),
            std::nullopt);
  EXPECT_EQ(Read([&](Transaction& t) { return PolicyStore(t).Find(cluster_.id, 1); }).value(),
            std::nullopt);
}

TEST_F(PolicyStoreTest, TheListIsReadInPagesNewestFirst) {
  const PolicyVersion first = Appended(Text("a"));
  const PolicyVersion second = Appended(Text("b"));
  const PolicyVersion third = Appended(Text("c"));
  auto list = [&](int64_t before) {
    return Read([&](Transaction& t) { return PolicyStore(t).List(cluster_.id, before, 2); })
        .value();
  };
  EXPECT_EQ(list(0), (std::vector<PolicyVersion>{third, second}));
  EXPECT_EQ(list(second.version), (std::vector<PolicyVersion>{first}));
}

TEST_F(PolicyStoreTest, APolicyWithoutFilesIsRefused) {
  PolicyVersion empty{.cluster_id = cluster_.id};
  EXPECT_EQ(Write([&](Transaction& t) { return PolicyStore(t).Append(empty).status(); }).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PolicyStoreTest, TheTimelineIsReadBackInOrder) {
  const std::vector<HalfLife> timeline = {{absl::InfinitePast(), absl::Hours(168)},
                                          {Microseconds(1), std::nullopt},
                                          {Microseconds(1700000000123456), absl::Seconds(1)}};
  ASSERT_OK(Write([&](Transaction& transaction) {
    PolicyStore store(transaction);
    for (int i : {2, 0, 1}) {
      absl::Status status = store.SetHalfLife(cluster_.id, timeline[i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }));
  EXPECT_EQ(HalfLives(), timeline);
}

TEST_F(PolicyStoreTest, AnEntryAtTheSameTimeIsChanged) {
  for (absl::Duration half_life : {absl::Hours(1), absl::Hours(2)}) {
    ASSERT_OK(Write([&](Transaction& t) {
      return PolicyStore(t).SetHalfLife(cluster_.id, {Microseconds(1), half_life});
    }));
  }
  EXPECT_EQ(HalfLives(), (std::vector<HalfLife>{{Microseconds(1), absl::Hours(2)}}));
}

TEST_F(PolicyStoreTest, AReplacedTimelineLeavesNothingOfTheOld) {
  for (const std::vector<HalfLife>& timeline :
       {std::vector<HalfLife>{{absl::InfinitePast(), absl::Hours(1)}, {Microseconds(1), {}}},
        std::vector<HalfLife>{{absl::InfinitePast(), absl::Hours(3)}}}) {
    ASSERT_OK(Write(
        [&](Transaction& t) { return PolicyStore(t).ReplaceHalfLives(cluster_.id, timeline); }));
    EXPECT_EQ(HalfLives(), timeline);
  }
}

TEST_F(PolicyStoreTest, AHalfLifeOfZeroIsRefused) {
  EXPECT_EQ(Write([&](Transaction& t) {
              return PolicyStore(t).SetHalfLife(cluster_.id, {Microseconds(1), absl::Seconds(0)});
            }).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace priorityd::storage
