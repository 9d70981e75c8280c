#include "server/administration/leases/lease_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/administration/leases/lease_values.h"

namespace priorityd::administration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::Time Hour(int hour) { return absl::FromUnixSeconds(3600 * int64_t{hour}); }

// root > chem > ann; QOS normal, high, long; partition main.
LeasedRows SmallRows() {
  std::vector<storage::Association> rows(3);
  const char* const accounts[] = {"root", "chem", "chem"};
  for (int i = 0; i < 3; ++i) {
    rows[i].id = i + 1;
    rows[i].account = accounts[i];
    rows[i].raw_shares = 200;
    if (i > 0) rows[i].parent_id = i;
  }
  rows[2].user_name = "ann";
  rows[1].qos = std::vector<std::string>{"normal"};
  LeasedRows leased;
  leased.tree = TreeSlice(rows);
  for (const char* name : {"normal", "high", "long"}) {
    storage::Qos qos;
    qos.id = static_cast<int64_t>(leased.qos.size()) + 1;
    qos.name = name;
    leased.qos.push_back(qos);
  }
  storage::Partition partition;
  partition.id = 1;
  partition.name = "main";
  partition.nodes = 4;
  leased.partitions.push_back(partition);
  storage::ClusterUser user;
  user.name = "ann";
  leased.users.emplace("ann", user);
  return leased;
}

storage::Lease LeaseOn(ObjectKey key, const std::vector<Setting>& settings, int begin, int end) {
  static int64_t last_id = 0;
  storage::Lease lease;
  lease.id = ++last_id;
  lease.kind = key.kind;
  lease.account = key.account;
  lease.user_name = key.user;
  lease.partition = key.partition;
  lease.qos = key.qos;
  lease.object = TextOf(key);
  for (const Setting& setting : settings) {
    lease.setting_names.push_back(setting.name);
    lease.setting_operators.push_back(OperatorText(setting.op));
    lease.setting_values.push_back(setting.value);
  }
  lease.begin_time = Hour(begin);
  lease.end_time = Hour(end);
  return lease;
}

Setting Set(const std::string& name, const std::string& value) {
  return {name, SettingOperator::kSet, value};
}
Setting Add(const std::string& name, const std::string& value) {
  return {name, SettingOperator::kAdd, value};
}
Setting Remove(const std::string& name, const std::string& value) {
  return {name, SettingOperator::kRemove, value};
}

const ObjectKey kChem = {.kind = "association", .account = "chem"};
const ObjectKey kAnn = {.kind = "association", .account = "chem", .user = "ann"};

// The folded value; `-` = unset.
std::string Folded(const std::vector<storage::Lease>& leases, const ObjectKey& key,
                   const std::string& word, absl::Time time = Hour(1),
                   std::vector<SkippedSetting>* skipped = nullptr, LeasedRows rows = SmallRows()) {
  const auto found = FoldLeases(LeasesAt(leases, time), &rows);
  if (skipped != nullptr) *skipped = found;
  const Attributes attributes = AttributesOf(rows, key);
  const auto value = attributes.find(word);
  return value == attributes.end() ? "-" : value->second;
}

TEST(LeaseFoldTest, ALeaseHoldsFromItsBeginUpToItsEnd) {
  const std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("Fairshare", "1000")}, 2, 4)};
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(2) - absl::Microseconds(1)), "200");
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(2)), "1000");
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(4) - absl::Microseconds(1)), "1000");
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(4)), "200");
}

TEST(LeaseFoldTest, AnEarlyEndHoldsInsteadOfTheAgreedOne) {
  std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("Fairshare", "1000")}, 2, 8)};
  leases[0].ended_at = Hour(5);
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(4)), "1000");
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(5)), "200");
  leases[0].ended_at = Hour(1);
  EXPECT_TRUE(storage::IsCancelled(leases[0]));
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(3)), "200");
}

TEST(LeaseFoldTest, TheLastOfTwoLeasesReplacesAndListsChangeAsTheyThenAre) {
  EXPECT_EQ(Folded({LeaseOn(kChem, {Set("Fairshare", "5")}, 0, 9),
                    LeaseOn(kChem, {Set("Fairshare", "7")}, 0, 9)},
                   kChem, "Fairshare"),
            "7");
  EXPECT_EQ(Folded({LeaseOn(kChem, {Add("QOS", "high")}, 0, 9),
                    LeaseOn(kChem, {Remove("QOS", "normal"), Add("QOS", "long")}, 0, 9)},
                   kChem, "QOS"),
            "high,long");
  EXPECT_EQ(Folded({LeaseOn(kChem, {Add("QOS", "high")}, 0, 9),
                    LeaseOn(kChem, {Set("QOS", "long")}, 0, 9)},
                   kChem, "QOS"),
            "long");
}

// ann has no list, so that += begins with that of chem, as it then is.
TEST(LeaseFoldTest, AnInheritedListIsTheLeasedOne) {
  EXPECT_EQ(Folded({LeaseOn(kChem, {Set("QOS", "long")}, 0, 9),
                    LeaseOn(kAnn, {Add("QOS", "high")}, 0, 9)},
                   kAnn, "QOS"),
            "long,high");
}

TEST(LeaseFoldTest, LeasesOfQosPartitionsAndUsersChangeTheirRows) {
  const ObjectKey qos = {.kind = "qos", .qos = "high"};
  const ObjectKey partition = {.kind = "partition", .partition = "main"};
  const ObjectKey user = {.kind = "user", .user = "ann"};
  EXPECT_EQ(Folded({LeaseOn(qos, {Set("Priority", "50")}, 0, 9)}, qos, "Priority"), "50");
  EXPECT_EQ(Folded({LeaseOn(partition, {Set("State", "DOWN")}, 0, 9)}, partition, "State"), "DOWN");
  EXPECT_EQ(Folded({LeaseOn(user, {Set("DefaultAccount", "chem")}, 0, 9)}, user, "DefaultAccount"),
            "chem");
}

TEST(LeaseFoldTest, ASettingThatBecameInvalidIsSkippedAndTheOthersHold) {
  LeasedRows rows = SmallRows();
  rows.qos.erase(rows.qos.begin() + 1);  // QOS high.
  std::vector<SkippedSetting> skipped;
  const std::vector<storage::Lease> leases = {
      LeaseOn(kChem, {Add("QOS", "high"), Set("Fairshare", "1000")}, 0, 9),
      LeaseOn({.kind = "association", .account = "gone"}, {Set("Fairshare", "1")}, 0, 9)};
  EXPECT_EQ(Folded(leases, kChem, "QOS", Hour(1), &skipped, rows), "normal");
  EXPECT_EQ(Folded(leases, kChem, "Fairshare", Hour(1), &skipped, rows), "1000");
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_EQ(skipped[0].lease_id, leases[0].id);
  EXPECT_THAT(skipped[0].why, HasSubstr("QOS+=high"));
  EXPECT_EQ(skipped[1].object, "account gone");
}

// As `value until hour, then value`.
std::vector<std::string> Values(const std::vector<storage::Lease>& leases, int hour,
                                const ObjectKey& key = kChem) {
  std::vector<std::string> texts;
  for (const LeasedValue& value : LeasedValues(SmallRows(), key, leases, Hour(hour))) {
    texts.push_back(absl::StrCat(value.name, "=", value.value, " until ",
                                 absl::ToInt64Hours(value.until - Hour(0)), ", then ", value.then));
  }
  return texts;
}

TEST(LeaseValuesTest, TheNextChangeIsThatOfTheValueAndNotOfALease) {
  const std::vector<storage::Lease> leases = {
      LeaseOn(kChem, {Set("Fairshare", "600")}, 2, 8),
      LeaseOn(kChem, {Set("Fairshare", "900"), Set("MaxJobs", "3")}, 3, 5)};
  EXPECT_THAT(Values(leases, 1),
              ElementsAre("Fairshare=200 until 2, then 600", "MaxJobs= until 3, then 3"));
  EXPECT_THAT(Values(leases, 2),
              ElementsAre("Fairshare=600 until 3, then 900", "MaxJobs= until 3, then 3"));
  EXPECT_THAT(Values(leases, 3),
              ElementsAre("Fairshare=900 until 5, then 600", "MaxJobs=3 until 5, then "));
  EXPECT_THAT(Values(leases, 5), ElementsAre("Fairshare=600 until 8, then 200"));
  EXPECT_THAT(Values(leases, 8), IsEmpty());
}

TEST(LeaseValuesTest, AnInheritedListFollowsTheLeasesAbove) {
  const std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("QOS", "long")}, 2, 6),
                                              LeaseOn(kAnn, {Add("QOS", "high")}, 3, 8)};
  EXPECT_THAT(ObjectsAbove(SmallRows(), kAnn), ElementsAre("account chem", "account root"));
  EXPECT_THAT(Values(leases, 2, kAnn), ElementsAre("QOS= until 3, then long,high"));
  EXPECT_THAT(Values(leases, 3, kAnn), ElementsAre("QOS=long,high until 6, then normal,high"));
  EXPECT_THAT(Values(leases, 6, kAnn), ElementsAre("QOS=normal,high until 8, then "));
}

std::vector<std::string> Passages(int hour, const std::vector<storage::Lease>& leases) {
  std::vector<std::string> texts;
  for (const LeasePassage& passage : PassagesUpTo(Hour(hour), leases, SmallRows())) {
    ChangeList list;
    list.Updated(passage.object, passage.before, passage.after);
    texts.push_back(passage.is_end ? "end" : "begin");
    if (list.changes().empty()) continue;
    absl::StrAppend(&texts.back(), " ", list.changes()[0].before, " ", list.changes()[0].after);
  }
  return texts;
}

TEST(LeasePassagesTest, BeginsAndEndsAreInOrderWithTheValuesOfTheirMoments) {
  std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("Fairshare", "600")}, 2, 8),
                                        LeaseOn(kChem, {Set("Fairshare", "900")}, 3, 5)};
  EXPECT_THAT(Passages(1, leases), IsEmpty());
  EXPECT_THAT(Passages(2, leases), ElementsAre("begin Fairshare=200 Fairshare=600"));
  EXPECT_THAT(Passages(9, leases),
              ElementsAre("begin Fairshare=200 Fairshare=600", "begin Fairshare=600 Fairshare=900",
                          "end Fairshare=900 Fairshare=600", "end Fairshare=600 Fairshare=200"));
  leases[0].begin_passed = true;
  EXPECT_THAT(Passages(4, leases), ElementsAre("begin Fairshare=600 Fairshare=900"));
  leases[1].begin_passed = leases[1].end_passed = true;
  EXPECT_THAT(Passages(8, leases), ElementsAre("end Fairshare=600 Fairshare=200"));
}

TEST(LeasePassagesTest, AnEndAtTheMomentOfABeginIsFirst) {
  const std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("Fairshare", "600")}, 5, 8),
                                              LeaseOn(kChem, {Set("Fairshare", "900")}, 2, 5)};
  EXPECT_THAT(Passages(5, {leases[1], leases[0]}),
              ElementsAre("begin Fairshare=200 Fairshare=900", "end Fairshare=900 Fairshare=200",
                          "begin Fairshare=200 Fairshare=600"));
}

TEST(LeasePassagesTest, AnInheritedListFollowsTheLeasesAbove) {
  const std::vector<storage::Lease> leases = {LeaseOn(kChem, {Set("QOS", "long")}, 2, 9),
                                              LeaseOn(kAnn, {Add("QOS", "high")}, 3, 5)};
  EXPECT_THAT(Passages(5, leases),
              ElementsAre("begin QOS=normal QOS=long", "begin QOS= QOS=long,high",
                          "end QOS=long,high QOS="));
}

// The naive model: at each time all leases are tried, in the order of begin and id.
class NaiveModel {
 public:
  void Add(int begin, int end, char op, const std::string& name) {
    leases_.push_back({begin, end, op, name});
  }

  std::string At(int time) const {
    std::vector<size_t> order(leases_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return leases_[a].begin < leases_[b].begin; });
    std::vector<std::string> list = {"normal"};
    for (const size_t i : order) {
      const Entry& entry = leases_[i];
      if (time < entry.begin || time >= entry.end) continue;
      const auto found = std::find(list.begin(), list.end(), entry.name);
      if (entry.op == '=') list = {entry.name};
      if (entry.op == '+' && found == list.end()) list.push_back(entry.name);
      // The last one cannot be removed: an empty list would allow all.
      if (entry.op == '-' && found != list.end() && list.size() > 1) list.erase(found);
    }
    return absl::StrJoin(list, ",");
  }

 private:
  struct Entry {
    int begin;
    int end;
    char op;
    std::string name;
  };
  std::vector<Entry> leases_;
};

TEST(LeaseFoldTest, RandomLeasesOfAListEqualANaiveModelAtEveryHour) {
  std::mt19937 random(20261218);
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    NaiveModel model;
    std::vector<storage::Lease> leases;
    for (int i = 0; i < 8; ++i) {
      const int begin = pick(10), end = begin + 1 + pick(6), op = pick(3);
      const std::string name = std::vector<std::string>{"normal", "high", "long"}[pick(3)];
      model.Add(begin, end, "=+-"[op], name);
      const Setting setting = {"QOS", static_cast<SettingOperator>(op), name};
      leases.push_back(LeaseOn(kChem, {setting}, begin, end));
    }
    std::stable_sort(leases.begin(), leases.end(),
                     [](const auto& a, const auto& b) { return a.begin_time < b.begin_time; });
    for (int hour = 0; hour < 17; ++hour) {
      EXPECT_EQ(Folded(leases, kChem, "QOS", Hour(hour)), model.At(hour))
          << "round " << round << " hour " << hour;
    }
  }
}

}  // namespace
}  // namespace priorityd::administration
