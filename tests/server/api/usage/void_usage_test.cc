// Usage records voided and restored: all is as if they had never been recorded, and as if they had
// never been voided.
#include "server/api/usage/void_usage.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/usage/roll_up.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "tests/server/service/voiding_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class VoidUsageTest : public VoidingSite {
 protected:
  // Of source `test` if it is not set otherwise.
  static v1::UsageRecord RecordOf(const std::string& id, double cpus, const char* source = "test") {
    v1::UsageRecord record = Usage(id, Hour(0), absl::Hours(1), cpus);
    record.set_source(source);
    record.set_job_id(absl::StrCat("job", id));
    record.set_qos("double");
    return record;
  }
  std::vector<storage::AuditEvent> Audit(const std::string& action) {
    return *service_.database().Read([&](storage::Transaction& transaction) {
      const int32_t id = storage::ClusterStore(transaction).Require("c")->id;
      return storage::AuditStore(transaction).List(id, 0, 1000, {.actions = {action}});
    });
  }
};

TEST_F(VoidUsageTest, UsageIsAsIfTheRecordsHadNeverCome) {
  Send(service_, RecordOf("1", 4));
  RecalculateAt(Hour(2));
  const double before = UsageOf("a", "amy");
  Send(service_, RecordOf("2", 700, "broken"));
  Send(service_, RecordOf("3", 900, "broken"));
  RecalculateAt(Hour(2));
  ASSERT_GT(UsageOf("a", "amy"), 100 * before);
  const v1::VoidUsageResponse done = Void(OfSource("broken"));
  EXPECT_TRUE(done.done());
  EXPECT_EQ(done.records(), 2);
  EXPECT_EQ(done.usage(), 2.0 * 1600 * 3600);  // UsageFactor 2.
  RecalculateAt(Hour(2));
  ExpectClose(UsageOf("a", "amy"), before);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
  EXPECT_EQ(Void(OfSource("broken")).records(), 0);
}

// An amount so large that all others are lost in its rounding.
TEST_F(VoidUsageTest, WhatRoundingLeftOfAnEnormousAmountIsSummedUpAgain) {
  Start(absl::StrCat(kVoidingPolicy, "UsageHeadroom=0\n"));
  RecalculateAt(Hour(1));
  Send(service_, RecordOf("1", 4));
  RecalculateAt(Hour(2));
  const double before = UsageOf("a", "amy");
  v1::UsageRecord enormous = RecordOf("2", 1, "broken");
  enormous.set_billing(4e17);
  const v1::UsageRecordResult sent = Send(service_, enormous);
  EXPECT_EQ(sent.status(), v1::USAGE_RECORD_STATUS_ACCEPTED) << sent.message();
  Send(service_, RecordOf("3", 5));
  Void(OfSource("broken"));
  v1::VoidUsageRequest third;
  third.mutable_filter()->add_job_ids("job3");
  Void(third);
  RecalculateAt(Hour(2));
  ExpectClose(UsageOf("a", "amy"), before);
}

TEST_F(VoidUsageTest, AResendOfWhatIsVoidIsADuplicateAndStaysVoid) {
  Send(service_, RecordOf("1", 4));
  Void(OfSource("test"));
  EXPECT_EQ(Send(service_, RecordOf("1", 4)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  v1::UsageRecord correction = RecordOf("2", 4);
  correction.set_replaces_record_id("1");
  EXPECT_EQ(Send(service_, correction).reason(), v1::REJECTION_REASON_ALREADY_REPLACED);
  correction.set_replaces_record_id("usage-void:1:1");
  EXPECT_EQ(Send(service_, correction).reason(), v1::REJECTION_REASON_INVALID_TEXT);
  RecalculateAt(Hour(2));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  for (const char* id : {"usage-void:1:1", "usage-restore:1:1"}) {
    EXPECT_EQ(Send(service_, RecordOf(id, 4)).reason(), v1::REJECTION_REASON_INVALID_TEXT);
  }
}

TEST_F(VoidUsageTest, RestoredRecordsCountAsBeforeWithTheFactsAboutTheirJobs) {
  v1::UsageRecord record = RecordOf("1", 4);
  record.mutable_job()->set_state("COMPLETED");
  Send(service_, record);
  Send(service_, RecordOf("2", 5));
  RecalculateAt(Hour(2));
  const double before = UsageOf("a", "amy");
  const int64_t id = Void(OfSource("test")).void_id();
  const v1::VoidUsageResponse restored = Restore(id);
  EXPECT_TRUE(restored.done());
  EXPECT_EQ(restored.records(), 2);
  EXPECT_EQ(restored.restored_records(), 2);
  RecalculateAt(Hour(2));
  ExpectClose(UsageOf("a", "amy"), before);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
  EXPECT_EQ(Restore(id).restored_records(), 2);  // There is nothing left to do.
  EXPECT_EQ(Send(service_, record).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  v1::ListUsageRecordsRequest list;
  list.set_with_job(true);
  v1::ListUsageRecordsResponse listed;
  ASSERT_TRUE(CallUnary(service_, list, &listed).ok());
  ASSERT_EQ(listed.records_size(), 1);
  EXPECT_EQ(listed.records(0).record().job().state(), "COMPLETED");
  EXPECT_EQ(listed.records(0).billing(), 4);
  // And they can be voided once more.
  EXPECT_EQ(Void(OfSource("test")).records(), 2);
  RecalculateAt(Hour(2));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
}

TEST_F(VoidUsageTest, EveryFieldOfTheFilterLeavesOthersOut) {
  Send(service_, RecordOf("1", 1));
  Send(service_, RecordOf("2", 1, "other"));
  v1::UsageRecord of_ben = RecordOf("3", 1);
  of_ben.set_user("ben");
  Send(service_, of_ben);
  v1::UsageRecord of_cat = RecordOf("4", 1);
  of_cat.set_user("cat");
  of_cat.set_account("b");
  *of_cat.mutable_end_time() = ToTimestamp(Hour(3));
  service_.SetNow(Hour(4));
  Send(service_, of_cat);
  const auto count = [&](auto set) {
    v1::VoidUsageRequest request;
    set(request.mutable_filter());
    request.set_validate_only(true);
    return Void(request).records();
  };
  EXPECT_EQ(count([](auto* filter) { filter->add_sources("test"); }), 3);
  EXPECT_EQ(count([](auto* filter) { filter->add_job_ids("job2"); }), 1);
  EXPECT_EQ(count([](auto* filter) { filter->add_users("amy"); }), 2);
  EXPECT_EQ(count([](auto* filter) { filter->add_accounts("a"); }), 3);
  EXPECT_EQ(count([](auto* f) { *f->mutable_ended_from() = ToTimestamp(Hour(2)); }), 1);
  EXPECT_EQ(count([](auto* f) { *f->mutable_ended_before() = ToTimestamp(Hour(2)); }), 3);
  EXPECT_EQ(count([](auto* f) { *f->mutable_recorded_from() = ToTimestamp(TestEpoch()); }), 4);
  EXPECT_EQ(count([](auto* f) { *f->mutable_recorded_before() = ToTimestamp(TestEpoch()); }), 0);
  EXPECT_EQ(count([](auto* filter) {
              filter->add_sources("test");
              filter->add_users("amy");
            }),
            1);
}

TEST_F(VoidUsageTest, ValidateOnlyReportsTheEffectByAccountAndChangesNothing) {
  Send(service_, RecordOf("1", 4));
  Send(service_, RecordOf("2", 5));
  RecalculateAt(Hour(1));
  const double before = UsageOf("a", "amy");
  v1::VoidUsageRequest request = OfSource("test");
  request.set_validate_only(true);
  const v1::VoidUsageResponse preview = Void(request);
  EXPECT_EQ(preview.void_id(), 0);
  EXPECT_EQ(preview.records(), 2);
  EXPECT_EQ(preview.usage(), 2.0 * 9 * 3600);
  ASSERT_EQ(preview.accounts_size(), 1);
  EXPECT_EQ(preview.accounts(0).account(), "a");
  ExpectClose(preview.accounts(0).decayed_usage(), before);
  EXPECT_EQ(preview.rolled_up_records(), 0);
  EXPECT_FALSE(preview.has_ledger_horizon());
  RecalculateAt(Hour(1));
  EXPECT_EQ(UsageOf("a", "amy"), before);
  EXPECT_TRUE(Audit("VoidUsage").empty());
}

TEST_F(VoidUsageTest, WhatIsRolledUpStaysAndIsCounted) {
  Send(service_, RecordOf("1", 4));
  v1::UsageRecord late = RecordOf("2", 5);
  *late.mutable_start_time() = ToTimestamp(Hour(60));
  *late.mutable_end_time() = ToTimestamp(Hour(61));
  Send(service_, late);
  Apply(absl::StrCat(kVoidingPolicy, "PurgeJobAfter=48hours\n"));
  RecalculateAt(Hour(100));
  ASSERT_TRUE(usage::RollUp(service_.database(), {.cluster = "c", .max_records = 50}, [] {
                return true;
              }).ok());
  v1::VoidUsageRequest request = OfSource("test");
  request.set_validate_only(true);
  const v1::VoidUsageResponse preview = Void(request);
  EXPECT_EQ(preview.records(), 1);
  EXPECT_EQ(preview.rolled_up_records(), 1);
  EXPECT_EQ(preview.ledger_horizon().seconds(), ToTimestamp(Hour(52)).seconds());
  EXPECT_EQ(Void(OfSource("test")).records(), 1);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(VoidUsageTest, TheAuditHasTheFilterTheCountAndTheSum) {
  Send(service_, RecordOf("1", 4));
  const int64_t id = Void(OfSource("test")).void_id();
  Restore(id);
  const auto voids = Audit("VoidUsage");
  ASSERT_EQ(voids.size(), 2u);  // Newest first.
  EXPECT_EQ(voids[1].object, absl::StrCat("void ", id));
  EXPECT_EQ(voids[1].after, "voiding: source=test");
  EXPECT_EQ(voids[1].comment, "a broken collector");
  EXPECT_EQ(voids[0].after, "voided: 1 records voided, 0 restored, 28800 billing seconds voided");
  const auto restores = Audit("RestoreUsage");
  ASSERT_EQ(restores.size(), 2u);
  EXPECT_THAT(restores[0].after, HasSubstr("1 restored"));
}

TEST_F(VoidUsageTest, WhatMatchesNothingIsDoneAndMakesNoVoid) {
  Send(service_, RecordOf("1", 4));
  const v1::VoidUsageResponse nothing = Void(OfSource("nosuch"));
  EXPECT_TRUE(nothing.done());
  EXPECT_EQ(nothing.void_id(), 0);
  EXPECT_EQ(nothing.records(), 0);
  EXPECT_TRUE(Audit("VoidUsage").empty());
}

TEST_F(VoidUsageTest, WhatIsWrongIsNamedByItsField) {
  grpc::Status status;
  Void({}, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "filter");
  v1::VoidUsageRequest both = OfSource("test");
  both.set_void_id(1);
  both.set_validate_only(true);
  Void(both, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "filter,validate_only");
  v1::VoidUsageRequest empty = OfSource("");
  empty.mutable_filter()->add_job_ids("7");
  empty.mutable_filter()->add_job_ids("");
  empty.mutable_filter()->add_users("");
  empty.mutable_filter()->add_accounts("");
  Void(empty, &status);
  EXPECT_EQ(DetailsOf(status).Fields(),
            "filter.sources[0],filter.job_ids[1],filter.users[0],filter.accounts[0]");
  v1::VoidUsageRequest reversed = OfSource("test");
  *reversed.mutable_filter()->mutable_ended_from() = ToTimestamp(Hour(2));
  *reversed.mutable_filter()->mutable_ended_before() = ToTimestamp(Hour(1));
  *reversed.mutable_filter()->mutable_recorded_from() = ToTimestamp(Hour(1));
  *reversed.mutable_filter()->mutable_recorded_before() = ToTimestamp(Hour(1));
  Void(reversed, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "filter.ended_before,filter.recorded_before");
  v1::VoidUsageRequest unknown;
  unknown.set_void_id(7);
  Void(unknown, &status);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_VOID");
  Restore(0, &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "void_id");
  Restore(7, &status);
  EXPECT_EQ(status.error_code(), grpc::NOT_FOUND);
  Send(service_, RecordOf("1", 4));
  const int64_t id = Void(OfSource("test")).void_id();
  Restore(id);
  unknown.set_void_id(id);
  Void(unknown, &status);
  EXPECT_EQ(DetailsOf(status).reason, "VOID_RESTORED");
}

}  // namespace
}  // namespace priorityd::rpc
