// What is kept for a time only.
#include "server/usage/expiry.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

class ExpiryTest : public UsageSite {
 protected:
  ExpiryTest() { Start("TimeZone=UTC\n"); }

  absl::StatusOr<usage::ExpiryResult> Expire() {
    return usage::DeleteExpired(
        service_.database(), "c", [] { return true; }, 2);
  }

  int64_t Count(const std::string& table) {
    return service_.database()
        .Read([&](storage::Transaction& t) {
          return t.QueryOne(storage::OnlyColumn<int64_t>,
                            absl::StrCat("SELECT count(*) FROM priorityd.", table));
        })
        .value();
  }
};

TEST_F(ExpiryTest, WhatIsKeptForATimeIsDeletedAfterIt) {
  RecalculateAt(Hour(100));
  Execute(
      "INSERT INTO priorityd.running_job (cluster_id, source, job_id, start_time, as_of) "
      "SELECT id, 's', d, timestamptz '2020-01-01', s.computed_at - d * interval '1 day' "
      "FROM priorityd.cluster c JOIN priorityd.snapshot s ON s.cluster_id = c.id, "
      "generate_series(365, 369) AS d WHERE s.generation = 1");
  Execute("UPDATE priorityd.audit_event SET at = '2001-01-01'");
  const absl::Duration month = absl::Hours(24 * 31);
  RecalculateAt(Hour(100) + month);
  Execute("UPDATE priorityd.cluster SET ledger_horizon = '2100-01-01'");
  const auto result = Expire();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->complete);
  EXPECT_GT(result->audit_events, 0);
  EXPECT_EQ(result->running_jobs, 5);
  EXPECT_GT(result->snapshots, 0);
  EXPECT_EQ(Count("snapshot"), 1);
  EXPECT_EQ(Count("audit_event"), 0);
}

TEST_F(ExpiryTest, AClockThatIsAheadDeletesNoAuditEvent) {
  const int64_t before = Count("audit_event");
  ASSERT_GT(before, 0);
  RecalculateAt(absl::Now() + absl::Hours(24 * 365 * 50));
  EXPECT_EQ(Expire()->audit_events, 0);
  EXPECT_GE(Count("audit_event"), before);
}

// Counters that were read long ago, and are sent again by a collector that got no answer.
TEST_F(ExpiryTest, CountersFromBeforeTheTimesAreChargedOnceWhereNothingIsPurged) {
  RecalculateAt(Hour(100));
  const absl::Time begin = Hour(100) - absl::Hours(24 * 1000);
  v1::RecordUsageRequest request;
  v1::UsageRecord& counters = *request.add_records();
  counters.set_source("s");
  counters.set_user("amy");
  counters.set_account("a");
  counters.set_job_id("7");
  *counters.mutable_start_time() = ToTimestamp(begin);
  const auto tell = [&](int hours) {
    *counters.mutable_end_time() = ToTimestamp(begin + absl::Hours(hours));
    (*counters.mutable_counters()->mutable_tres_seconds())["cpu"] = 3600 * hours;
    return RecordUsage(service_, request).results(0).status();
  };
  EXPECT_EQ(tell(1), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(tell(2), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Expire()->running_jobs, 0);
  EXPECT_EQ(tell(2), v1::USAGE_RECORD_STATUS_DUPLICATE);
}

}  // namespace
}  // namespace priorityd::rpc
