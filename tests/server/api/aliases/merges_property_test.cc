// Random records, late records, voids, aliases, merges and undos: each user has the usage that a
// list kept by hand has, and after all undos the numbers of a twin that never merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/usage_void.pb.h"
#include "tests/server/service/merging_site.h"

namespace priorityd::rpc {
namespace {

const std::vector<std::string> kPersons = {"amy", "a.smith", "ben"};
const std::map<std::string, int> kShares = {{"amy", 2}, {"a.smith", 3}, {"ben", 1}};
const std::vector<std::string> kSenders = {"k8s", "slurm"};
constexpr char kAnAlias[] = "x@EXAMPLE.ORG";

// A site of its own.
class RandomMerges : public MergingSite {
 public:
  void TestBody() override {}

  using AliasedSite::AliasList;
  using AliasedSite::Change;
  using AliasedSite::Send;
  using MergingSite::Merge;
  using MergingSite::RowsOf;
  using MergingSite::Unmerge;

  TestService& service() { return service_; }
  void DecayFrom(const std::string& policy) { Apply(policy, /*retroactive=*/true); }
  void Recalculate(absl::Time time) { RecalculateAt(time); }
  void VoidSource(const std::string& source) {
    v1::VoidUsageRequest request;
    request.mutable_filter()->add_sources(source);
    request.set_comment("a broken collector");
    Called<v1::VoidUsageResponse>(request, nullptr);
  }
};

struct RecordOfHand {
  std::string source;
  std::string user;  // Behind the name, when it was sent.
  int hours = 0;
  bool counts = true;
};

class MergesPropertyTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  size_t Below(size_t bound) { return random_() % bound; }
  const std::string& One(const std::vector<std::string>& of) { return of[Below(of.size())]; }

  // Of some whole CPU hours that ended 0 to 30 hours ago.
  void SendAny() {
    const std::string source = One(kSenders);
    const bool by_alias = !alias_.empty() && Below(4) == 0;
    const std::string user = by_alias ? alias_ : One(kPersons);
    const int cpus = static_cast<int>(Below(5)) + 1;
    v1::UsageRecord record =
        Usage(absl::StrCat("r", records_.size()), Hour(-1.0 - static_cast<double>(Below(30))),
              absl::Hours(1), cpus);
    record.set_source(source);
    record.set_user(by_alias ? kAnAlias : user);
    for (RandomMerges* site : {&merging_, &twin_}) {
      ASSERT_EQ(site->Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
    }
    records_.push_back({source, user, cpus});
  }

  void VoidAny() {
    const std::string source = One(kSenders);
    for (RandomMerges* site : {&merging_, &twin_}) site->VoidSource(source);
    for (RecordOfHand& record : records_) record.counts &= record.source != source;
  }

  // The user may be merged.
  void ChangeAlias() {
    const std::string user = One(kPersons);
    for (RandomMerges* site : {&merging_, &twin_}) {
      RandomMerges::AliasList remove;
      if (!alias_.empty()) remove.push_back(AliasOf("", kAnAlias));
      site->Change(remove, {AliasOf("", kAnAlias, user)});
    }
    alias_ = user;
  }

  bool HasMergedOnes(const std::string& user) {
    for (const auto& [from, into] : merges_) {
      if (into == user) return true;
    }
    return false;
  }

  void MergeOrPart() {
    const std::string from = One(kPersons);
    if (merges_.contains(from)) {
      merging_.Unmerge(from);
      merges_.erase(from);
      return;
    }
    const std::string into = One(kPersons);
    grpc::Status status;
    merging_.Merge(from, into, &status);
    const bool allowed = from != into && !merges_.contains(into) && !HasMergedOnes(from);
    EXPECT_EQ(status.ok(), allowed) << from << " " << into << " " << status.error_message();
    if (allowed) merges_[from] = into;
  }

  std::string SurvivorOf(const std::string& user) {
    const auto found = merges_.find(user);
    return found == merges_.end() ? user : found->second;
  }

  void Step() {
    switch (Below(8)) {
      case 0:
        return Below(3) == 0 ? VoidAny() : ChangeAlias();
      case 1:
      case 2:
        return MergeOrPart();
      default:
        return SendAny();
    }
  }

  void RecalculateBoth(absl::Time time) {
    for (RandomMerges* site : {&merging_, &twin_}) site->Recalculate(time);
  }

  // Without decay all are whole numbers.
  void CheckHours() {
    RecalculateBoth(TestEpoch());
    std::map<std::string, int> hours;
    int all = 0, shares = 0;
    for (const RecordOfHand& record : records_) {
      if (!record.counts) continue;
      hours[SurvivorOf(record.user)] += record.hours;
      all += record.hours;
    }
    for (const std::string& user : kPersons)
      shares += merges_.contains(user) ? 0 : kShares.at(user);
    const v1::ListSharesResponse list = ListShares(merging_.service());
    size_t rows = 0;
    for (const v1::AssociationShare& row : list.shares()) {
      if (row.account() != "a" || row.user().empty()) continue;
      ++rows;
      ASSERT_FALSE(merges_.contains(row.user())) << row.user();
      EXPECT_EQ(row.raw_usage(), 3600.0 * hours[row.user()]) << row.user();
      EXPECT_EQ(row.level_shares(), shares);
      // S / (U / U of the account), as a fraction.
      if (hours[row.user()] == 0) continue;
      ExpectClose(row.level_fs(), static_cast<double>(kShares.at(row.user())) * all /
                                      (static_cast<double>(shares) * hours[row.user()]));
    }
    EXPECT_EQ(rows, kPersons.size() - merges_.size());
    EXPECT_EQ(ShareOf(list, "a").raw_usage(), 3600.0 * all);
  }

  void PartAll() {
    for (const auto& [from, into] : merges_) merging_.Unmerge(from);
    merges_.clear();
  }

  std::mt19937 random_{GetParam()};
  RandomMerges merging_;
  RandomMerges twin_;
  std::string alias_;                          // The user of kAnAlias; empty = none.
  std::map<std::string, std::string> merges_;  // By merged user.
  std::vector<RecordOfHand> records_;
};

TEST_P(MergesPropertyTest, MergedUsageIsCountedAsAListByHandCountsIt) {
  for (int step = 0; step < 60 && !HasFatalFailure(); ++step) {
    Step();
    if (step % 6 == 5) CheckHours();
  }
}

TEST_P(MergesPropertyTest, AfterAllUndosEveryNumberIsThatOfATwinThatNeverMerged) {
  for (RandomMerges* site : {&merging_, &twin_}) site->DecayFrom("PriorityDecayHalfLife=5:0:0\n");
  for (int round = 1; round <= 4 && !HasFatalFailure(); ++round) {
    for (int step = 0; step < 12 && !HasFatalFailure(); ++step) Step();
    RecalculateBoth(Hour(2.5 * round));
    PartAll();
    RecalculateBoth(Hour(2.5 * round + 1));
    EXPECT_EQ(RandomMerges::RowsOf(merging_.service()), RandomMerges::RowsOf(twin_.service()));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MergesPropertyTest, ::testing::Range(1u, 4u));

}  // namespace
}  // namespace priorityd::rpc
