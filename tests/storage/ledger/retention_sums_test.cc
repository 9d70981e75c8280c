// The sums of what is rolled up, on random records, against their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "storage/ledger/ledger_store.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

using Key = std::tuple<size_t, std::string, int64_t, double, int64_t>;
struct Sums {
  double wall = 0, billing = 0;
  std::map<int32_t, double> tres;
};

// By the definition: a second at a time would be the same but slower.
void AddNaively(const UsageRecord& record, size_t association, std::map<Key, Sums>* sums) {
  const absl::Time end = record.submitted.end_time;
  for (absl::Time from = record.submitted.start_time; from < end;) {
    const int64_t hour = absl::ToUnixSeconds(from) / 3600;
    const absl::Time to = std::min(end, absl::FromUnixSeconds((hour + 1) * 3600));
    const double seconds = absl::ToDoubleSeconds(to - from);
    Sums& sum = (*sums)[{association, record.submitted.user_name, record.qos_id.value_or(0),
                         record.usage_factor, hour}];
    sum.wall += seconds;
    sum.billing += seconds * record.billing_rate;
    for (const TresAmount& t : record.submitted.tres) sum.tres[t.tres_id] += seconds * t.amount;
    from = to;
  }
}

// One of four, all four, or more than are added up side by side.
std::vector<TresAmount> RandomTres(std::mt19937& random) {
  const auto amount = [&random] { return 0.1 * static_cast<double>(1 + random() % 100); };
  if (random() % 2 == 0) return {{static_cast<int32_t>(1 + random() % 4), amount()}};
  const int32_t most = random() % 3 == 0 ? 12 : 4;
  std::vector<TresAmount> tres;
  for (int32_t id = 1; id <= most; ++id) tres.push_back({id, amount()});
  return tres;
}

// Random records, a quarter of which replace the one before.
class RetentionSumsTest : public RetentionStoreTest {
 protected:
  static constexpr int kRecords = 2000;

  void AppendRandomRecords() {
    std::mt19937 random(20261120);
    std::vector<UsageRecord> records;
    for (int i = 0; i < kRecords; ++i) {
      const absl::Time start = Hour(0) + absl::Microseconds(random() % 172'800 * 1'000'003);
      const size_t association = random() % kAssociations;
      records.push_back(
          Record(absl::StrCat(i), start, start + absl::Seconds(random() % 20'000), association));
      UsageRecord& record = records.back();
      record.submitted.user_name = absl::StrCat("u", random() % 3);
      if (random() % 2 == 0) record.qos_id = qos_;
      record.usage_factor = random() % 3 * 0.5;
      record.submitted.tres = RandomTres(random);
      record.billing_rate = 0.01 * (random() % 1000);
      if (random() % 4 == 0 && i > 0) {
        record.submitted.replaces_record_id = absl::StrCat(i - 1);
      }
    }
    for (int i = 0; i < kRecords; ++i) {
      if (i + 1 < kRecords && !records[i + 1].submitted.replaces_record_id.empty()) continue;
      ++count_;
      const auto at =
          std::find(associations_.begin(), associations_.end(), records[i].association_id);
      AddNaively(records[i], static_cast<size_t>(at - associations_.begin()), &want_);
    }
    Append(records);
  }

  // Takes it off what is wanted.
  void ExpectWanted(const Bucket& bucket) {
    const Key key = {bucket.association, bucket.user_name, bucket.qos_id.value_or(0),
                     bucket.usage_factor, absl::ToUnixSeconds(bucket.begins_at) / 3600};
    ASSERT_TRUE(want_.contains(key)) << testing::PrintToString(bucket);
    const Sums& sums = want_[key];
    EXPECT_NEAR(bucket.wall_seconds, sums.wall, 1e-9 * sums.wall);
    EXPECT_NEAR(bucket.billing_seconds, sums.billing, 1e-9 * sums.billing);
    for (const TresAmount& t : bucket.tres_seconds) {
      EXPECT_NEAR(t.amount, sums.tres.at(t.tres_id), 1e-9 * t.amount);
    }
    EXPECT_EQ(bucket.tres_seconds.size(), sums.tres.size());
    want_.erase(key);
  }

  std::map<Key, Sums> want_;
  int64_t count_ = 0;  // Of records that nothing replaces.
};

TEST_F(RetentionSumsTest, BucketsAndLedgerTogetherAreWhatWasAppended) {
  AppendRandomRecords();
  plan_.max_records = 100;
  plan_.max_pieces = 300;
  int64_t rolled_up = 0;
  for (double horizon : {5., 6., 20.5, 60.}) rolled_up += RollUp(Hour(horizon));
  EXPECT_EQ(rolled_up, kRecords);
  EXPECT_GT(steps_, 20);
  EXPECT_TRUE(InLedger().empty());

  int64_t counted = 0;
  for (const Bucket& bucket : Buckets()) {
    counted += bucket.records;
    if (bucket.wall_seconds != 0) ExpectWanted(bucket);
  }
  EXPECT_EQ(counted, count_);
  EXPECT_TRUE(want_.empty());
}

}  // namespace
}  // namespace priorityd::storage
