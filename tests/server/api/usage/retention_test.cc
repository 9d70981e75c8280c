// Usage of which the records are rolled up: what stays exact, what is lost, and that
// nothing is taken twice.
#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "server/usage/ledger_sum.h"
#include "server/usage/roll_up.h"
#include "storage/configuration/cluster_store.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

constexpr double kLn2 = 0.693147180559945309417232121458;

// At most how far off, relative, usage is that was rolled up: 1/2 * x * ln 2 + ...
// for an hour of x half-lives, all of it used at the hour's beginning.
double Bound(absl::Duration half_life) {
  const double x = absl::FDivDuration(absl::Hours(1), half_life);
  return std::expm1(x * kLn2) / (x * kLn2) - 1;
}

class RetentionTest : public UsageSite {
 protected:
  // Of the last Hour(100) so that the horizon is at Hour(52), if there is one.
  static constexpr char kKeep[] =
      "PriorityDecayHalfLife=4:0:0\nTimeZone=UTC\nUsageHeadroom=UNLIMITED\n";
  static constexpr char kTwoDays[] =
      "PriorityDecayHalfLife=4:0:0\nTimeZone=UTC\nPurgeJobAfter=48hours\n";

  RetentionTest() { Start(kKeep); }

  usage::RollUpResult RollUp(int64_t steps = 1'000'000, int64_t max_records = 50) {
    auto result = usage::RollUp(service_.database(), {.cluster = "c", .max_records = max_records},
                                [&] { return --steps > 0; });
    EXPECT_TRUE(result.ok()) << result.status();
    return *result;
  }

  // Rolls up all that ends before Hour(52).
  usage::RollUpResult Retain() {
    Apply(kTwoDays);
    RecalculateAt(Hour(100));
    return RollUp();
  }

  v1::UsageRecordResult Send(const v1::UsageRecord& record) {
    v1::RecordUsageRequest request;
    *request.add_records() = record;
    return RecordUsage(service_, request).results(0);
  }

  std::vector<std::string> Query(const char* statement) {
    std::vector<std::string> rows;
    const absl::Status status = service_.database().Read([&](storage::Transaction& t) {
      auto read = t.Query(storage::OnlyColumn<std::string>, statement);
      if (read.ok()) rows = *read;
      return read.status();
    });
    EXPECT_TRUE(status.ok()) << status;
    return rows;
  }
  // All that is known of usage rows, when they were last written too.
  std::vector<std::string> UsageRows() {
    return Query(
        "SELECT row(u.*)::text FROM priorityd.association_usage u UNION ALL "
        "SELECT row(q.*)::text FROM priorityd.qos_usage q ORDER BY 1");
  }
  void ForgetRows() {
    Execute("DELETE FROM priorityd.association_usage");
    Execute("DELETE FROM priorityd.qos_usage");
  }

  // Stretches that begin and end anywhere in the first 50 hours.
  std::vector<Stretch> Random(int count) {
    std::vector<Stretch> stretches;
    for (int i = 0; i < count; ++i) {
      const absl::Time start = Hour(0) + absl::Seconds(random_() % 140'000);
      stretches.push_back(
          {start, start + absl::Seconds(1 + random_() % 40'000), 1.0 + random_() % 9});
    }
    return stretches;
  }

  std::mt19937 random_{20261120};
};

TEST_F(RetentionTest, NothingIsRolledUpByDefault) {
  Record({Hour(0), Hour(1), 1});
  RecalculateAt(Hour(1'000'000));
  const usage::RollUpResult result = RollUp();
  EXPECT_EQ(result.horizon, absl::InfinitePast());
  EXPECT_EQ(result.records, 0);
  EXPECT_TRUE(result.complete);
}

TEST_F(RetentionTest, UsageRowsDoNotChange) {
  for (const Stretch& stretch : Random(60)) Record(stretch, "amy", "a", "double");
  Record({Hour(50), Hour(60), 1});
  const std::vector<std::string> before = UsageRows();
  const usage::RollUpResult result = Retain();
  EXPECT_EQ(result.horizon, Hour(52));
  EXPECT_TRUE(result.horizon_moved);
  EXPECT_EQ(result.records, 60);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(UsageRows(), before);
}

TEST_F(RetentionTest, ARebuildFindsNoDifferenceAndKeepsTheExactRows) {
  for (const Stretch& stretch : Random(60)) Record(stretch, "amy", "a", "double");
  Record({Hour(50), Hour(60), 1}, "ben");
  const std::vector<std::string> before = UsageRows();
  Retain();
  const v1::RebuildUsageResponse answer = Rebuild(false);
  EXPECT_EQ(answer.records(), 61);
  EXPECT_EQ(answer.different_rows(), 0);
  EXPECT_EQ(UsageRows(), before);
}

TEST_F(RetentionTest, AWrongRowIsFoundAllTheSame) {
  for (const Stretch& stretch : Random(60)) Record(stretch);
  Retain();
  Execute("UPDATE priorityd.association_usage SET value = value * 1.2");
  EXPECT_EQ(Rebuild(true).different_rows(), 1);
  Execute("UPDATE priorityd.association_usage SET value = value / 1.2, wall_seconds = 7");
  EXPECT_EQ(Rebuild(true).different_rows(), 1);
}

TEST_F(RetentionTest, RowsBuiltOfBucketsAreWithinTheBound) {
  std::vector<Stretch> amy = Random(60);
  for (const Stretch& stretch : amy) Record(stretch);
  amy.push_back({Hour(50), Hour(60), 3});  // Not rolled up.
  Record(amy.back());
  Retain();
  ForgetRows();
  EXPECT_EQ(Rebuild(false).different_rows(), 2);  // amy's, and that of the QOS normal.
  RecalculateAt(Hour(100));
  const double exact =
      NaiveUsage(amy, {{Hour(0), absl::Hours(4)}}, absl::InfinitePast(), Hour(100));
  EXPECT_NEAR(UsageOf("a", "amy"), exact, Bound(absl::Hours(4)) * exact);
}

// The worst that can be: the bound is not larger than it need be.
TEST_F(RetentionTest, UsageAtTheEdgeOfItsHourIsAsFarOffAsTheBoundSays) {
  Record({Hour(10), Hour(10) + absl::Milliseconds(1), 1e9});
  Record({Hour(11) - absl::Milliseconds(1), Hour(11), 1});
  RecalculateAt(Hour(30));
  const double exact = UsageOf("a", "amy");
  Retain();
  ForgetRows();
  Rebuild(false);
  RecalculateAt(Hour(100));
  const double kept = std::exp2(-70.0 / 4);
  const double error = UsageOf("a", "amy") / (exact * kept) - 1;
  EXPECT_LE(error, Bound(absl::Hours(4)) * (1 + 1e-9));
  EXPECT_GE(error, Bound(absl::Hours(4)) * 0.999);
}

TEST_F(RetentionTest, UsageOfWholeHoursStaysExact) {
  Record({Hour(3), Hour(9), 2});
  Record({Hour(4), Hour(5), 5});
  Retain();
  ForgetRows();
  Rebuild(false);
  RecalculateAt(Hour(100));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({{Hour(3), Hour(9), 2}, {Hour(4), Hour(5), 5}},
                         {{Hour(0), absl::Hours(4)}}, absl::InfinitePast(), Hour(100)));
}

TEST_F(RetentionTest, ARetroactiveHalfLifeIsWithinTheBoundOfTheNewOne) {
  std::vector<Stretch> amy = Random(60);
  for (const Stretch& stretch : amy) Record(stretch);
  amy.push_back({Hour(50), Hour(60), 3});
  Record(amy.back());
  Retain();
  for (int hours : {10, 100, 1000}) {
    Apply(absl::StrCat("TimeZone=UTC\nPurgeJobAfter=48hours\nPriorityDecayHalfLife=", hours,
                       ":0:0\n"),
          /*retroactive=*/true);
    RecalculateAt(Hour(100));
    const absl::Duration half_life = absl::Hours(hours);
    const double exact = NaiveUsage(amy, {{Hour(0), half_life}}, absl::InfinitePast(), Hour(100));
    EXPECT_NEAR(UsageOf("a", "amy"), exact, Bound(half_life) * exact) << hours;
    EXPECT_EQ(Rebuild(true).different_rows(), 0);
  }
}

TEST_F(RetentionTest, WithoutDecayNothingIsLost) {
  std::vector<Stretch> amy = Random(60);
  double sum = 0;
  for (const Stretch& stretch : amy) {
    Record(stretch);
    sum += stretch.rate * absl::ToDoubleSeconds(stretch.end - stretch.start);
  }
  Retain();
  Apply("PurgeJobAfter=48hours\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n", true);
  RecalculateAt(Hour(100));
  ExpectClose(UsageOf("a", "amy"), sum);
}

TEST_F(RetentionTest, AResetByHandCutsItsHourExactly) {
  const absl::Time reset = Hour(40) + absl::Minutes(17);
  Record({Hour(38), Hour(41), 2});
  RecalculateAt(reset);
  Reset("a", "amy");
  Retain();
  ForgetRows();
  Rebuild(false);
  RecalculateAt(Hour(100));
  ExpectClose(UsageOf("a", "amy"),
              NaiveUsage({{Hour(38), Hour(41), 2}}, {{Hour(0), absl::Hours(4)}}, reset, Hour(100)));
}

TEST_F(RetentionTest, AResetAfterwardsWipesOutWhatIsRolledUp) {
  Record({Hour(38), Hour(41), 2});
  Retain();
  Reset("a");
  RecalculateAt(Hour(101));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(RetentionTest, TheUsageFactorAndQosGoAlong) {
  Record({Hour(3), Hour(9), 2}, "amy", "a", "double");
  const std::vector<std::string> before = UsageRows();
  Retain();
  ForgetRows();
  EXPECT_EQ(Rebuild(false).different_rows(), 2);
  RecalculateAt(Hour(100));
  ExpectClose(UsageOf("a", "amy"), NaiveUsage({{Hour(3), Hour(9), 4}}, {{Hour(0), absl::Hours(4)}},
                                              absl::InfinitePast(), Hour(100)));
  EXPECT_EQ(UsageRows().size(), before.size());
}

TEST_F(RetentionTest, WhatEndsBeforeTheHorizonIsTooOldSeenOrNot) {
  const v1::UsageRecord seen = Usage("seen", Hour(10), absl::Hours(1), 1);
  EXPECT_EQ(Send(seen).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  Apply(kTwoDays);
  RecalculateAt(Hour(100));
  RollUp(1, 1);  // The horizon is moved.
  for (const v1::UsageRecord& record :
       {seen, Usage("never seen", Hour(51), absl::Minutes(59), 1)}) {
    const v1::UsageRecordResult result = Send(record);
    EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_REJECTED);
    EXPECT_EQ(result.reason(), v1::REJECTION_REASON_TOO_OLD);
    EXPECT_EQ(result.field(), "records[0].end_time");
    EXPECT_THAT(result.message(), HasSubstr("want 2026-01-07T04:00:00+00:00 or later"));
  }
  EXPECT_EQ(Rebuild(true).records(), 1);
}

TEST_F(RetentionTest, CountersBeforeTheHorizonAreTooOldAndThoseAfterItContinue) {
  v1::UsageRecord counters;
  counters.set_source("test");
  counters.set_job_id("7");
  counters.set_user("amy");
  counters.set_account("a");
  *counters.mutable_start_time() = ToTimestamp(Hour(40));
  const auto read_at = [&](double hour, double seconds) {
    *counters.mutable_end_time() = ToTimestamp(Hour(hour));
    (*counters.mutable_counters()->mutable_tres_seconds())["cpu"] = seconds;
    return Send(counters);
  };
  EXPECT_EQ(read_at(45, 100).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Retain().records, 1);
  EXPECT_EQ(read_at(45, 100).reason(), v1::REJECTION_REASON_TOO_OLD);
  EXPECT_EQ(read_at(55, 700).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Query("SELECT round(sum(tres_counts[1] * extract(epoch FROM end_time - start_time)))"
                  "::text FROM priorityd.usage_record"),
            std::vector<std::string>{"600"});
}

TEST_F(RetentionTest, ACorrectionOfWhatIsRolledUpIsTooOld) {
  Send(Usage("old", Hour(10), absl::Hours(1), 1));
  Retain();
  v1::UsageRecord correction = Usage("right", Hour(10), absl::Hours(60), 1);
  correction.set_replaces_record_id("old");
  const v1::UsageRecordResult result = Send(correction);
  EXPECT_EQ(result.reason(), v1::REJECTION_REASON_TOO_OLD);
  EXPECT_EQ(result.field(), "records[0].replaces_record_id");
  EXPECT_THAT(result.message(), HasSubstr("rolled up"));
}

TEST_F(RetentionTest, RecordsFromTheHorizonOnAreDistinguishedAsBefore) {
  Retain();
  const v1::UsageRecord at = Usage("at", Hour(51), absl::Hours(1), 1);
  const v1::UsageRecord over = Usage("over", Hour(10), absl::Hours(80), 1);
  for (const v1::UsageRecord& record : {at, over}) {
    EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
    EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  }
  EXPECT_EQ(Rebuild(true).records(), 2);
}

TEST_F(RetentionTest, KeepingRecordsLongerAgainTakesNoOldOnes) {
  Retain();
  for (const char* policy : {"PurgeJobAfter=1000hours\n", "PurgeJobAfter=INFINITE\n", ""}) {
    Apply(policy);
    RecalculateAt(Hour(101));
    const usage::RollUpResult result = RollUp();
    EXPECT_EQ(result.horizon, Hour(52));
    EXPECT_FALSE(result.horizon_moved);
    EXPECT_EQ(Send(Usage("x", Hour(51), absl::Minutes(30), 1)).reason(),
              v1::REJECTION_REASON_TOO_OLD);
  }
}

TEST_F(RetentionTest, TheHorizonFollowsTheRecalculations) {
  for (int hour = 0; hour < 60; ++hour) Record({Hour(hour), Hour(hour + 0.5), 1});
  EXPECT_EQ(Retain().records, 52);
  EXPECT_EQ(RollUp().records, 0);
  RecalculateAt(Hour(103));
  const usage::RollUpResult result = RollUp();
  EXPECT_EQ(result.horizon, Hour(55));
  EXPECT_EQ(result.records, 3);
  EXPECT_EQ(Query("SELECT action || ' ' || before || ' ' || after FROM priorityd.audit_event "
                  "WHERE principal = 'priorityd' ORDER BY id"),
            (std::vector<std::string>{
                "MoveLedgerHorizon  2026-01-07T04:00:00+00:00",
                "MoveLedgerHorizon 2026-01-07T04:00:00+00:00 2026-01-07T07:00:00+00:00"}));
}

TEST_F(RetentionTest, ASumReadAheadWhileTheSameRecordsAreRolledUpIsRight) {
  for (const Stretch& stretch : Random(60)) Record(stretch);
  Record({Hour(50), Hour(60), 1}, "ben");
  Apply(kTwoDays);
  RecalculateAt(Hour(100));
  RollUp(1, 20);
  const int32_t cluster_id = 1;
  usage::DecayRules rules;
  ASSERT_TRUE(service_.database()
                  .Read([&](storage::Transaction& t) {
                    auto read = usage::ReadDecayRules(t, cluster_id);
                    if (read.ok()) rules = *read;
                    return read.status();
                  })
                  .ok());
  usage::LedgerSum sum(cluster_id, rules);
  const auto ignore = [](const usage::Progress&) { return absl::OkStatus(); };
  ASSERT_TRUE(sum.ReadAhead(service_.database(), ignore).ok());
  EXPECT_TRUE(RollUp().complete);
  Record({Hour(60), Hour(61), 1});
  ASSERT_TRUE(sum.ReadAhead(service_.database(), ignore).ok());
  const absl::Status compared = service_.database().Write([&](storage::Transaction& t) {
    if (absl::Status s = storage::ClusterStore(t).Lock(cluster_id); !s.ok()) return s;
    EXPECT_FALSE(*sum.IsStale(t));
    if (absl::Status s = sum.ReadRest(t); !s.ok()) return s;
    auto found = sum.Compare(t, Hour(100), {.relative = 1e-9, .rolled_up = true});
    EXPECT_TRUE(found.ok() && found->empty());
    return found.status();
  });
  EXPECT_TRUE(compared.ok()) << compared;
  EXPECT_EQ(sum.records(), 62);
  RecalculateAt(Hour(110));
  RollUp();
  EXPECT_TRUE(service_.database()
                  .Write([&](storage::Transaction& t) {
                    if (absl::Status s = storage::ClusterStore(t).Lock(cluster_id); !s.ok()) {
                      return s;
                    }
                    EXPECT_TRUE(*sum.IsStale(t));
                    return absl::OkStatus();
                  })
                  .ok());
}

TEST_F(RetentionTest, RecordingContinuesWhileTheLedgerIsRolledUp) {
  for (const Stretch& stretch : Random(100)) Record(stretch);
  Apply(kTwoDays);
  RecalculateAt(Hour(100));
  std::thread recorder([&] {
    for (int i = 0; i < 50; ++i) Record({Hour(60 + i * 0.01), Hour(61 + i * 0.01), 1}, "ben");
  });
  EXPECT_EQ(RollUp(1'000'000, 3).records, 100);
  recorder.join();
  const v1::RebuildUsageResponse answer = Rebuild(true);
  EXPECT_EQ(answer.records(), 150);
  EXPECT_EQ(answer.different_rows(), 0);
}

}  // namespace
}  // namespace priorityd::rpc
