#include "engine/priority/limits/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/priority/association_row.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LimitChainsTest : public testing::Test {
 protected:
  Limits Build() {
    tree_.emplace(AssociationTree::Build(rows_).value());
    return Limits(*tree_, qos_, partitions_, usage_);
  }
  // `WORD@account` or `WORD@qos INDEX`, as a chain has them.
  std::vector<std::string> Names(const Limits& limits, const std::vector<int32_t>& chain) {
    std::vector<std::string> names;
    for (const int32_t i : chain) {
      const Limit& limit = limits.limits()[i];
      names.push_back(absl::StrCat(
          limits.WordOf(limit), "@",
          limit.of_qos() ? absl::StrCat("qos ", limit.qos) : tree_->account(limit.association)));
    }
    return names;
  }
  const Limits::Chain& OfUser(const Limits& limits) {
    return limits.OfAssociation(tree_->FindUser("b", "u", ""));
  }

  std::vector<Association> rows_ = {AssociationRow(1, 0, "root"), AssociationRow(2, 1, "a"),
                                    AssociationRow(3, 2, "b"), AssociationRow(4, 3, "b", "u"),
                                    AssociationRow(5, 3, "b", "v")};
  std::vector<Qos> qos_ = std::vector<Qos>(2);
  std::vector<Partition> partitions_;
  Limits::Usage usage_;
  std::optional<AssociationTree> tree_;
};

TEST_F(LimitChainsTest, WithoutAnyThereIsNothingToCheck) {
  const Limits limits = Build();
  EXPECT_TRUE(limits.empty());
  for (const Limits::Chain& chain : {OfUser(limits), limits.OfQos(limits.OrderOf(-1, 1)).chain}) {
    EXPECT_TRUE(chain.first.empty() && chain.second.empty());
  }
}

// Seen on a real slurmctld: the MaxJobs that a user inherits comes before the account's GrpJobs.
TEST_F(LimitChainsTest, TheUsersLevelComesFirstWithWhatItInherits) {
  rows_[1].limits.others = {{LimitKind::kMaxJobs, "", 3}, {LimitKind::kGrpJobs, "", 5}};
  rows_[2].limits.others = {{LimitKind::kGrpJobs, "", 4}};
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, OfUser(limits).first),
              ElementsAre("AssocMaxJobsLimit@a", "AssocGrpJobsLimit@b", "AssocGrpJobsLimit@a"));
}

// The same: a user's GrpTRES=mem before the account's GrpTRES=cpu, cpu before mem in one list.
TEST_F(LimitChainsTest, LevelsComeBeforeTres) {
  rows_[2].limits.others = {{LimitKind::kGrpTres, "cpu", 1}};
  rows_[3].limits.others = {{LimitKind::kGrpTres, "gres/gpu", 1}, {LimitKind::kGrpTres, "mem", 1}};
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, OfUser(limits).second),
              ElementsAre("AssocGrpMemLimit@b", "AssocGrpGRES@b", "AssocGrpCpuLimit@b"));
}

TEST_F(LimitChainsTest, WallIsOfTheFirstPhaseAndMinutesOfTheSecond) {
  rows_[2].limits.grp_tres_mins = {{"mem", 1}, {"cpu", 1}};
  rows_[1].limits.grp_wall = absl::Minutes(1);
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, OfUser(limits).first), ElementsAre("AssocGrpWallLimit@a"));
  EXPECT_THAT(Names(limits, OfUser(limits).second),
              ElementsAre("AssocGrpCPUMinutesLimit@b", "AssocGrpMemMinutes@b"));
}

// The same: of each kind and TRES the nearest one holds, also where it allows more.
TEST_F(LimitChainsTest, MaxLimitsAreInheritedEachByItself) {
  rows_[1].limits.others = {{LimitKind::kMaxTres, "cpu", 1}, {LimitKind::kMaxTres, "mem", 9}};
  rows_[3].limits.others = {{LimitKind::kMaxTres, "cpu", 64}};
  const Limits limits = Build();
  const Limits::Chain& chain = OfUser(limits);
  ASSERT_EQ(chain.second.size(), 2u);
  EXPECT_EQ(limits.limits()[chain.second[0]].limit, 64);
  EXPECT_EQ(limits.limits()[chain.second[1]].limit, 9);
}

TEST_F(LimitChainsTest, LimitsOfNodesAloneStandBetweenThePhases) {
  rows_[2].limits.others = {{LimitKind::kMaxTres, "node", 1}, {LimitKind::kMaxTres, "cpu", 1}};
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, OfUser(limits).nodes), ElementsAre("AssocMaxNodePerJobLimit@b"));
}

TEST_F(LimitChainsTest, AQosReplacesTheSameKindAndTres) {
  rows_[2].limits.others = {{LimitKind::kMaxTres, "cpu", 1}, {LimitKind::kMaxTres, "mem", 1}};
  qos_[1].other_limits = {{LimitKind::kMaxTres, "cpu", 9}};
  const Limits limits = Build();
  const Limits::QosChain& qos = limits.OfQos(limits.OrderOf(-1, 1));
  const Limits::Chain& chain = OfUser(limits);
  EXPECT_TRUE(qos.Replaces(limits.SlotOf(limits.limits()[chain.second[0]])));
  EXPECT_FALSE(qos.Replaces(limits.SlotOf(limits.limits()[chain.second[1]])));
}

TEST_F(LimitChainsTest, ThePartitionsQosGoesFirstUnlessTheJobsIsOverIt) {
  qos_[0].name = "of_partition";
  qos_[1].name = "of_job";
  for (Qos& qos : qos_) qos.other_limits = {{LimitKind::kMaxJobs, "", 1}};
  partitions_.resize(1);
  partitions_[0].qos = "of_partition";
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, limits.OfQos(limits.OrderOf(0, 1)).chain.first),
              ElementsAre("QOSMaxJobsPerUserLimit@qos 0"));
  qos_[1].over_part_qos = true;
  const Limits over = Build();
  EXPECT_THAT(Names(over, over.OfQos(over.OrderOf(0, 1)).chain.first),
              ElementsAre("QOSMaxJobsPerUserLimit@qos 1"));
}

TEST_F(LimitChainsTest, AQosHasItsOwnUsage) {
  qos_[1].grp_tres_mins = {{"cpu", 2}};
  const QosUsage used[] = {{}, {7, {{"cpu", 5}}, 3}};
  usage_.qos = used;
  const Limits limits = Build();
  EXPECT_THAT(limits.OfQos(limits.OrderOf(-1, 0)).chain.second, IsEmpty());
  const Limits::Chain& chain = limits.OfQos(limits.OrderOf(-1, 1)).chain;
  ASSERT_EQ(chain.second.size(), 1u);
  EXPECT_EQ(limits.limits()[chain.second[0]].limit, 120);
  EXPECT_EQ(limits.limits()[chain.second[0]].used, 5);
}

TEST_F(LimitChainsTest, UsersOfOneAccountAreCountedApartUnderMaxJobs) {
  rows_[2].limits.others = {{LimitKind::kMaxJobs, "", 1}, {LimitKind::kGrpJobs, "", 1}};
  const Limits limits = Build();
  const AssociationIndex u = tree_->FindUser("b", "u", "");
  const AssociationIndex v = tree_->FindUser("b", "v", "");
  const Limit& max_jobs = limits.limits()[OfUser(limits).first[0]];
  const Limit& grp_jobs = limits.limits()[OfUser(limits).first[1]];
  EXPECT_NE(limits.CounterOf(max_jobs, u), limits.CounterOf(max_jobs, v));
  EXPECT_EQ(limits.CounterOf(grp_jobs, u), limits.CounterOf(grp_jobs, v));
}

// --- Grants -----------------------------------------------------------------------------

GrantStanding Grant(const char* name, std::vector<std::string> accounts, const char* tres = "cpu") {
  GrantStanding grant;
  grant.name = name;
  grant.accounts = std::move(accounts);
  grant.tres = tres;
  grant.available = 600;
  grant.used = 60;
  grant.consequence = GrantConsequence::kBlock;
  return grant;
}

class GrantLimitsTest : public LimitChainsTest {
 protected:
  Limits Build(bool no_settings = false) {
    tree_.emplace(AssociationTree::Build(rows_).value());
    return Limits(*tree_, qos_, partitions_, usage_, {grants_, {.safe = safe_}, no_settings});
  }
  // `NAME@account` of the grants of a chain.
  std::vector<std::string> GrantNames(const Limits& limits, const std::vector<int32_t>& chain) {
    std::vector<std::string> names;
    for (const int32_t i : chain) {
      const Limit& limit = limits.limits()[i];
      names.push_back(limit.of_grant() ? absl::StrCat(grants_[limit.grant].name, "@",
                                                      tree_->account(limit.association))
                                       : "a setting");
    }
    return names;
  }

  GrantStandings grants_;
  bool safe_ = true;
};

TEST_F(GrantLimitsTest, AGrantIsALimitOnMinutesWithItsOwnUsage) {
  grants_ = {Grant("q4", {"a"})};
  const Limits limits = Build();
  EXPECT_THAT(Names(limits, OfUser(limits).second), ElementsAre("AssocGrpCPUMinutesLimit@a"));
  EXPECT_THAT(OfUser(limits).grants, OfUser(limits).second);
  const Limit& limit = limits.limits().at(0);
  EXPECT_EQ(limit.grant, 0);
  EXPECT_EQ(limit.limit, 600);
  EXPECT_EQ(limit.used, 60);
}

TEST_F(GrantLimitsTest, OnlyThoseThatBlockAreLimits) {
  grants_ = {Grant("none", {"a"}), Grant("demote", {"a"})};
  grants_.Change(0).consequence = GrantConsequence::kNone;
  grants_.Change(1).consequence = GrantConsequence::kDemote;
  EXPECT_TRUE(Build().empty());
}

// `used-up` is the second of the snapshot's grants, also where the first is no limit.
TEST_F(GrantLimitsTest, WithoutSafeOnlyThoseThatAreUsedUpAreLimits) {
  safe_ = false;
  grants_ = {Grant("something-left", {"a"}), Grant("used-up", {"a"})};
  EXPECT_TRUE(Build().empty());
  grants_.Change(1).used = 600;
  const Limits limits = Build();
  EXPECT_THAT(GrantNames(limits, OfUser(limits).second), ElementsAre("used-up@a"));
  EXPECT_EQ(limits.limits().at(0).grant, 1);
}

// The settings of one level, then its grants in their order; then the level above.
TEST_F(GrantLimitsTest, ThoseOfEachLevelApplyAfterTheSettingOfTheSameTres) {
  rows_[2].limits.grp_tres_mins = {{"cpu", 1}};
  grants_ = {Grant("of root", {"root"}), Grant("2", {"b"}), Grant("3", {"b"}),
             Grant("memory", {"b"}, "mem")};
  const Limits limits = Build();
  EXPECT_THAT(GrantNames(limits, OfUser(limits).second),
              ElementsAre("a setting", "2@b", "3@b", "memory@b", "of root@root"));
}

TEST_F(GrantLimitsTest, AQosReplacesTheSettingAndNoGrant) {
  rows_[2].limits.grp_tres_mins = {{"cpu", 1}};
  grants_ = {Grant("q4", {"b"})};
  qos_[1].grp_tres_mins = {{"cpu", 9}};
  const Limits limits = Build();
  const Limits::QosChain& qos = limits.OfQos(limits.OrderOf(-1, 1));
  const Limits::Chain& chain = OfUser(limits);
  ASSERT_THAT(GrantNames(limits, chain.second), ElementsAre("a setting", "q4@b"));
  EXPECT_TRUE(limits.IsReplaced(limits.limits()[chain.second[0]], qos));
  EXPECT_FALSE(limits.IsReplaced(limits.limits()[chain.second[1]], qos));
}

TEST_F(GrantLimitsTest, OtherUsageChangesTheSettingAndNoGrant) {
  rows_[2].limits.grp_tres_mins = {{"billing", 1}};
  grants_ = {Grant("q4", {"b"}, "billing")};
  const Limits limits = Build();
  const std::vector<double> billing(tree_->size(), 7);
  usage_.billing_seconds = billing;
  const Limits later = limits.WithUsage(usage_, {grants_, {.safe = safe_}});
  const Limits::Chain& chain = OfUser(later);
  ASSERT_THAT(GrantNames(later, chain.second), ElementsAre("a setting", "q4@b"));
  EXPECT_EQ(later.limits()[chain.second[0]].used, 7);
  EXPECT_EQ(later.limits()[chain.second[1]].used, 60);
}

TEST_F(GrantLimitsTest, AloneTheyLeaveOutEverySetting) {
  rows_[2].limits.others = {{LimitKind::kMaxJobs, "", 1}};
  qos_[1].other_limits = {{LimitKind::kMaxJobs, "", 1}};
  qos_[1].usage_factor = 0;
  EXPECT_TRUE(Build(/*no_settings=*/true).empty());
  grants_ = {Grant("q4", {"b"})};
  const Limits limits = Build(/*no_settings=*/true);
  EXPECT_EQ(limits.limits().size(), 1u);
  EXPECT_THAT(OfUser(limits).first, IsEmpty());
  EXPECT_THAT(limits.OfQos(limits.OrderOf(-1, 1)).chain.first, IsEmpty());
  EXPECT_EQ(limits.OfQos(limits.OrderOf(-1, 1)).usage_factor, 0);
}

// u and v are in b; w is in c, beside a.
TEST_F(GrantLimitsTest, AllOwnersOfAGrantShareACounter) {
  rows_.push_back(AssociationRow(6, 1, "c"));
  rows_.push_back(AssociationRow(7, 6, "c", "w"));
  rows_[2].limits.others = {{LimitKind::kGrpJobs, "", 1}};
  grants_ = {Grant("other", {"a"}), Grant("shared", {"b", "c", "a"})};
  const Limits limits = Build();
  const auto counters = [&](const char* account, const char* user) {
    std::vector<int32_t> numbers;
    const AssociationIndex i = tree_->FindUser(account, user, "");
    limits.CountersOf(i, limits.OrderOf(-1, -1), &numbers);
    return numbers;
  };
  const auto of_grant = [&](int grant) {
    for (const Limit& limit : limits.limits()) {
      if (limit.grant == grant) return limits.CounterOf(limit, limit.association);
    }
    return -1;
  };
  const AssociationIndex b = tree_->FindAccount("b");
  EXPECT_THAT(counters("b", "u"), ElementsAre(b, of_grant(0), of_grant(1)));
  EXPECT_EQ(counters("b", "u"), counters("b", "v"));
  EXPECT_THAT(counters("c", "w"), ElementsAre(of_grant(1)));
  EXPECT_LT(of_grant(1), limits.counters());
}

}  // namespace
}  // namespace priorityd::priority
