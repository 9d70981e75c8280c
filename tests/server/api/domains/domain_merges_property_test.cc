// Random records, joins, leaves, merges of one cluster and of a domain with its members, and undos
// of both: each cluster has the merges and each user the usage that lists kept by hand have.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/domain_site.h"

namespace priorityd::rpc {
namespace {

const std::vector<std::string> kClusters = {"site", "alpha", "beta"};
const std::vector<std::string> kPersons = {"amy", "ben", "zoe"};
const std::map<std::string, int64_t> kShares = {{"amy", 2}, {"ben", 1}, {"zoe", 1}};

// By merged user.
using MergeMap = std::map<std::string, std::string>;

struct RecordOfMember {
  std::string user;
  int64_t hours = 0;  // Of one CPU.
  bool in_domain = false;
};

// Without decay from Hour(0) on, usage is whole seconds. In beta, zoe comes later.
class DomainMergesPropertyTest : public DomainSite, public ::testing::WithParamInterface<uint32_t> {
 protected:
  DomainMergesPropertyTest() {
    for (const std::string& cluster : kClusters) {
      ImportCluster(cluster, "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n");
      RecalculateAt(cluster, TestEpoch());
      users_[cluster] = {"amy", "ben"};
    }
    for (const char* cluster : {"site", "alpha"}) AddZoe(cluster);
  }

  void AddZoe(const std::string& cluster) {
    AddUser(cluster, "a", "zoe");
    users_[cluster].insert("zoe");
  }

  size_t Below(size_t bound) { return random_() % bound; }
  const std::string& One(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  bool HoldsInDomain(const std::string& cluster) const {
    return cluster == "site" || joined_.contains(cluster);
  }
  // By the definition: its own, and those of its domain.
  MergeMap MergesOf(const std::string& cluster) {
    MergeMap merges = own_[cluster];
    if (HoldsInDomain(cluster)) merges.insert(of_domain_.begin(), of_domain_.end());
    return merges;
  }
  static bool IsChain(const MergeMap& merges, const std::string& from, const std::string& into) {
    if (merges.contains(into)) return true;
    for (const auto& [merged, survivor] : merges) {
      if (survivor == from) return true;
    }
    return false;
  }
  // A member without the merged user has nothing to merge.
  bool TakesOver(const std::string& cluster, const std::string& from, const std::string& into) {
    const MergeMap merges = MergesOf(cluster);
    const auto held = merges.find(from);
    if (held != merges.end()) return held->second == into;
    if (IsChain(merges, from, into)) return false;
    return !users_[cluster].contains(from) || users_[cluster].contains(into);
  }

  grpc::Status CallMerge(const std::string& cluster, const std::string& from,
                         const std::string& into, bool with_members) {
    v1::MergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user(from);
    request.set_into_user(into);
    request.set_with_members(with_members);
    grpc::Status status;
    Asked<v1::ChangeResponse>(request, &status);
    return status;
  }

  void MergeInOne() {
    const std::string cluster = One(kClusters), from = One(kPersons), into = One(kPersons);
    if (from == into) return;
    const bool is_held = MergesOf(cluster).contains(from);
    const bool has_both = users_[cluster].contains(from) && users_[cluster].contains(into);
    const bool allowed = TakesOver(cluster, from, into) && (is_held || has_both);
    const grpc::Status status = CallMerge(cluster, from, into, /*with_members=*/false);
    ASSERT_EQ(status.ok(), allowed) << cluster << from << into << status.error_message();
    if (allowed && !is_held) own_[cluster][from] = into;
  }

  void MergeInAll() {
    const std::string from = One(kPersons), into = One(kPersons);
    if (from == into) return;
    bool allowed = !joined_.empty();
    for (const std::string& cluster : kClusters) {
      if (HoldsInDomain(cluster)) allowed &= TakesOver(cluster, from, into);
    }
    const grpc::Status status = CallMerge("site", from, into, /*with_members=*/true);
    ASSERT_EQ(status.ok(), allowed) << from << into << status.error_message();
    if (!allowed) return;
    of_domain_[from] = into;
    own_["site"].erase(from);
  }

  void UnmergeAny() {
    const std::string cluster = One(kClusters), from = One(kPersons);
    v1::UnmergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user(from);
    grpc::Status status;
    Asked<v1::ChangeResponse>(request, &status);
    bool done = own_[cluster].erase(from) > 0;
    if (cluster == "site") done |= of_domain_.erase(from) > 0;
    ASSERT_EQ(status.ok(), done) << cluster << from << status.error_message();
  }

  void JoinAny() {
    const std::string cluster = Below(2) == 0 ? "alpha" : "beta";
    bool allowed = true;
    for (const auto& [from, into] : of_domain_) allowed &= TakesOver(cluster, from, into);
    grpc::Status status;
    Join({cluster}, {}, &status);
    ASSERT_EQ(status.ok(), allowed) << cluster << status.error_message();
    if (allowed) joined_.insert(cluster);
  }

  void LeaveAny() {
    const std::string cluster = Below(2) == 0 ? "alpha" : "beta";
    if (joined_.erase(cluster) > 0) Leave(cluster);
  }

  void RecordAny() {
    const std::string cluster = Below(2) == 0 ? "alpha" : "beta";
    const std::string user = One(kPersons);
    if (!users_[cluster].contains(user)) return;
    const auto cpus = static_cast<int64_t>(1 + Below(5));
    v1::UsageRecord record = Usage(absl::StrCat("r", ++record_count_), Hour(0), absl::Hours(1),
                                   static_cast<double>(cpus));
    record.set_user(user);
    Record(cluster, record);
    records_[cluster].push_back({user, cpus});
  }

  void Step() {
    switch (Below(10)) {
      case 0:
      case 1:
        return MergeInOne();
      case 2:
      case 3:
        return MergeInAll();
      case 4:
        return UnmergeAny();
      case 5:
        return JoinAny();
      case 6:
        return Below(3) == 0 ? LeaveAny() : JoinAny();
      case 7:
        if (Below(8) == 0 && !users_["beta"].contains("zoe")) AddZoe("beta");
        return;
      default:
        return RecordAny();
    }
  }

  // Hours by the surviving user.
  std::map<std::string, int64_t> HoursIn(const std::string& cluster) {
    const MergeMap merges = MergesOf(cluster);
    std::map<std::string, int64_t> hours;
    for (const auto& [member, records] : records_) {
      for (const RecordOfMember& record : records) {
        if (cluster == "site" ? !record.in_domain : member != cluster) continue;
        const auto merge = merges.find(record.user);
        hours[merge == merges.end() ? record.user : merge->second] += record.hours;
      }
    }
    return hours;
  }

  // S / (U / U of the account), as a fraction of whole numbers.
  void CheckLevelFairShare(const v1::AssociationShare& share, int64_t hours, int64_t all,
                           int64_t shares) {
    if (hours == 0) return;
    const double numerator = static_cast<double>(kShares.at(share.user()) * all);
    EXPECT_NEAR(share.level_fs() * static_cast<double>(shares * hours), numerator,
                1e-12 * numerator);
  }

  void Check(const std::string& cluster) {
    SCOPED_TRACE(cluster);
    const MergeMap merges = MergesOf(cluster), of_site = MergesOf("site");
    std::map<std::string, int64_t> hours = HoursIn(cluster);
    int64_t all = 0, shares = 0;
    std::set<std::string> rows;
    for (const std::string& user : users_[cluster]) {
      all += hours[user];
      if (merges.contains(user)) continue;
      rows.insert(user);
      shares += kShares.at(user);
    }
    const v1::ListSharesResponse list = SharesOf(cluster), site = SharesOf("site");
    for (const v1::AssociationShare& share : list.shares()) {
      const std::string& user = share.user();
      if (share.account() != "a" || user.empty()) continue;
      ASSERT_EQ(rows.erase(user), 1) << user;
      EXPECT_EQ(share.raw_usage(), 3600.0 * static_cast<double>(hours[user])) << user;
      EXPECT_EQ(share.level_shares(), shares) << user;
      CheckLevelFairShare(share, hours[user], all, shares);
      if (!joined_.contains(cluster)) continue;
      const auto there = of_site.find(user);
      const std::string& survivor = there == of_site.end() ? user : there->second;
      EXPECT_EQ(share.fair_share(), ShareOf(site, "a", survivor).fair_share()) << user;
    }
    EXPECT_TRUE(rows.empty()) << *rows.begin();
    EXPECT_EQ(ShareOf(list, "a").raw_usage(), 3600.0 * static_cast<double>(all));
  }

  void RecalculateAndCheck() {
    RecalculateAllAt(Hour(++hour_));
    for (const std::string& member : joined_) {
      for (RecordOfMember& record : records_[member]) record.in_domain = true;
    }
    for (const std::string& cluster : kClusters) Check(cluster);
  }

  std::mt19937 random_{GetParam()};
  std::map<std::string, std::set<std::string>> users_;  // Of account a, by cluster.
  std::set<std::string> joined_;
  std::map<std::string, MergeMap> own_;
  MergeMap of_domain_;
  std::map<std::string, std::vector<RecordOfMember>> records_;
  int record_count_ = 0;
  int hour_ = 0;
};

TEST_P(DomainMergesPropertyTest, EachClusterHasItsOwnMergesAndThoseOfItsDomain) {
  for (int step = 0; step < 120 && !HasFatalFailure(); ++step) {
    Step();
    if (step % 8 == 7) RecalculateAndCheck();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DomainMergesPropertyTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace priorityd::rpc
