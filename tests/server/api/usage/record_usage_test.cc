#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr char kNoDecay[] = "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=YEARLY\n";

v1::RecordUsageRequest Batch(std::initializer_list<v1::UsageRecord> records) {
  v1::RecordUsageRequest request;
  for (const v1::UsageRecord& record : records) *request.add_records() = record;
  return request;
}

// A service with the small site and time to have used something in.
class RecordUsageTest : public ::testing::Test {
 protected:
  explicit RecordUsageTest(const std::string& policy = kNoDecay) {
    Import(service_, SmallSite(policy));
    service_.SetNow(TestEpoch() + absl::Hours(1));
  }

  double RawUsage(const std::string& account, const std::string& user = "") {
    Recalculate(service_);
    return ShareOf(ListShares(service_), account, user).raw_usage();
  }

  // The result of a batch of one.
  v1::UsageRecordResult Send(const v1::UsageRecord& record) {
    const v1::RecordUsageResponse response = RecordUsage(service_, Batch({record}));
    EXPECT_EQ(response.results_size(), 1);
    return response.results(0);
  }

  TestService service_;
  const v1::UsageRecord record_ = Usage("r", TestEpoch(), absl::Seconds(100), 4);
};

TEST_F(RecordUsageTest, CountsCpuSecondsAndRollsThemUp) {
  EXPECT_EQ(Send(record_).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 400);
  EXPECT_DOUBLE_EQ(RawUsage("a"), 400);
  EXPECT_DOUBLE_EQ(RawUsage("root"), 400);
  EXPECT_DOUBLE_EQ(RawUsage("a", "ben"), 0);
}

TEST_F(RecordUsageTest, TheSameRecordAgainIsADuplicateAndCountsOnce) {
  Send(record_);
  EXPECT_EQ(Send(record_).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 400);
}

TEST_F(RecordUsageTest, ARecordWhoseUserHasGoneSinceIsStillADuplicate) {
  v1::UsageRecord record = record_;
  record.clear_account();
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  RemoveAmy(service_, kNoDecay);
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  v1::UsageRecord other = record;
  (*other.mutable_tres())["cpu"] = 5;
  EXPECT_EQ(Send(other).reason(), v1::REJECTION_REASON_CONFLICT);
  other.set_record_id("new");
  EXPECT_EQ(Send(other).reason(), v1::REJECTION_REASON_UNKNOWN_ACCOUNT);
  EXPECT_DOUBLE_EQ(RawUsage("a"), 400);
}

// The site has 100 CPUs, and UsageHeadroom is 10 where it is not given.
TEST_F(RecordUsageTest, MoreThanTheClusterCanProduceIsRejectedWithBothNumbers) {
  v1::UsageRecord record = record_;
  record.set_billing(1e18);
  v1::UsageRecordResult result = Send(record);
  EXPECT_EQ(result.reason(), v1::REJECTION_REASON_BEYOND_CAPACITY);
  EXPECT_EQ(result.field(), "records[0].billing");
  EXPECT_EQ(result.message(),
            "got 1e+18, want at most 1000 (UsageHeadroom 10 times the 100 that the cluster has)");
  record.set_billing(1000);
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 100'000);
}

TEST_F(RecordUsageTest, ARecordOfALargerClusterIsADuplicateInASmallerOne) {
  v1::UsageRecord record = record_;
  (*record.mutable_tres())["cpu"] = 1000;
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  Import(service_, SmallSite(std::string(kNoDecay) + "UsageHeadroom=1\n"));
  Recalculate(service_);
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  record.set_record_id("other");
  EXPECT_EQ(Send(record).reason(), v1::REJECTION_REASON_BEYOND_CAPACITY);
}

TEST_F(RecordUsageTest, ZeroTresAndNanosecondsMakeNoOtherRecord) {
  Send(record_);
  v1::UsageRecord same = record_;
  (*same.mutable_tres())["mem"] = 0;
  same.mutable_start_time()->set_nanos(999);
  EXPECT_EQ(Send(same).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
}

TEST_F(RecordUsageTest, TheSameIdWithOtherContentIsAConflict) {
  Send(record_);
  v1::UsageRecord other = record_;
  (*other.mutable_tres())["cpu"] = 5;
  const v1::UsageRecordResult result = Send(other);
  EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_REJECTED);
  EXPECT_EQ(result.reason(), v1::REJECTION_REASON_CONFLICT);
  EXPECT_EQ(result.field(), "records[0].record_id");
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 400);
}

TEST_F(RecordUsageTest, OneBadRecordDoesNotFailTheOthers) {
  v1::UsageRecord bad = record_;
  bad.set_record_id("bad");
  bad.set_user("nobody");
  v1::UsageRecord good = record_;
  good.set_record_id("good");
  const v1::RecordUsageResponse response = RecordUsage(service_, Batch({record_, bad, good}));
  EXPECT_EQ(response.accepted(), 2);
  EXPECT_EQ(response.rejected(), 1);
  EXPECT_EQ(response.results(1).reason(), v1::REJECTION_REASON_UNKNOWN_USER);
  EXPECT_EQ(response.results(1).field(), "records[1].user");
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 800);
}

TEST_F(RecordUsageTest, EachFaultHasItsReasonAndField) {
  using Change = void (*)(v1::UsageRecord*);
  const struct {
    Change change;
    v1::RejectionReason reason;
    const char* field;
  } kCases[] = {
      {[](auto* r) { r->clear_source(); }, v1::REJECTION_REASON_MISSING_FIELD, "source"},
      {[](auto* r) { r->clear_record_id(); }, v1::REJECTION_REASON_MISSING_FIELD, "record_id"},
      {[](auto* r) { r->clear_start_time(); }, v1::REJECTION_REASON_MISSING_FIELD, "start_time"},
      {[](auto* r) { r->clear_end_time(); }, v1::REJECTION_REASON_MISSING_FIELD, "end_time"},
      {[](auto* r) { r->clear_user(), r->clear_account(); }, v1::REJECTION_REASON_MISSING_FIELD,
       "user"},
      {[](auto* r) { r->set_account("x"); }, v1::REJECTION_REASON_UNKNOWN_ACCOUNT, "account"},
      {[](auto* r) { r->set_user("x"), r->clear_account(); }, v1::REJECTION_REASON_UNKNOWN_ACCOUNT,
       "account"},
      {[](auto* r) { r->set_user("cat"); }, v1::REJECTION_REASON_UNKNOWN_USER, "user"},
      {[](auto* r) { r->set_qos("x"); }, v1::REJECTION_REASON_UNKNOWN_QOS, "qos"},
      {[](auto* r) { r->set_partition("x"); }, v1::REJECTION_REASON_UNKNOWN_PARTITION, "partition"},
      {[](auto* r) { (*r->mutable_tres())["x"] = 1; }, v1::REJECTION_REASON_UNKNOWN_TRES,
       "tres[\"x\"]"},
      {[](auto* r) { *r->mutable_end_time() = ToTimestamp(TestEpoch() - absl::Seconds(1)); },
       v1::REJECTION_REASON_END_BEFORE_START, "end_time"},
      {[](auto* r) { *r->mutable_end_time() = ToTimestamp(TestEpoch() + absl::Minutes(62)); },
       v1::REJECTION_REASON_END_IN_FUTURE, "end_time"},
      {[](auto* r) { (*r->mutable_tres())["cpu"] = -1; }, v1::REJECTION_REASON_OUT_OF_RANGE,
       "tres[\"cpu\"]"},
      {[](auto* r) { (*r->mutable_tres())["gres/\xc3\xab"] = -1; },
       v1::REJECTION_REASON_OUT_OF_RANGE, "tres[\"gres/\\xc3\\xab\"]"},
      {[](auto* r) { (*r->mutable_tres())["gres/\n\xc3\xab"] = 1; },
       v1::REJECTION_REASON_INVALID_TEXT, "tres[\"gres/\\n\\xc3\\xab\"]"},
      {[](auto* r) { (*r->mutable_tres())["gres/g pu,x="] = 4; }, v1::REJECTION_REASON_INVALID_TEXT,
       "tres[\"gres/g pu,x=\"]"},
      {[](auto* r) { (*r->mutable_tres())["cpu"] = std::nan(""); },
       v1::REJECTION_REASON_OUT_OF_RANGE, "tres[\"cpu\"]"},
      {[](auto* r) { r->set_billing(std::numeric_limits<double>::infinity()); },
       v1::REJECTION_REASON_OUT_OF_RANGE, "billing"},
      {[](auto* r) { r->mutable_start_time()->set_nanos(-1); }, v1::REJECTION_REASON_OUT_OF_RANGE,
       "start_time"},
      {[](auto* r) { r->clear_tres(); }, v1::REJECTION_REASON_NO_AMOUNT, "tres"},
      {[](auto* r) { r->set_job_id(std::string("1\0", 2)); }, v1::REJECTION_REASON_INVALID_TEXT,
       "job_id"},
      {[](auto* r) { (*r->mutable_tres())[std::string("gres/\0", 6)] = 1; },
       v1::REJECTION_REASON_INVALID_TEXT, "tres[\"gres/\\x00\"]"},
      {[](auto* r) { r->set_record_id(std::string(1025, 'r')); }, v1::REJECTION_REASON_INVALID_TEXT,
       "record_id"},
      {[](auto* r) { (*r->mutable_tres())["gres/" + std::string(1025, 'g')] = 1; },
       v1::REJECTION_REASON_INVALID_TEXT, "tres[\"gres/ggg"},
  };
  for (const auto& test : kCases) {
    v1::UsageRecord record = record_;
    test.change(&record);
    const v1::UsageRecordResult result = Send(record);
    EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_REJECTED) << record.DebugString();
    EXPECT_EQ(result.reason(), test.reason) << record.DebugString();
    EXPECT_EQ(result.field().find(std::string("records[0].") + test.field), 0u) << result.field();
    EXPECT_NE(result.message(), "");
  }
  EXPECT_DOUBLE_EQ(RawUsage("root"), 0);
}

TEST_F(RecordUsageTest, TheLongestIdsAreTaken) {
  // Noise, which an index cannot store in less room than it takes.
  std::minstd_rand random;
  const auto noise = [&random] {
    std::string text(1024, ' ');
    for (char& c : text) c = static_cast<char>('!' + random() % 90);
    return text;
  };
  v1::UsageRecord record = record_;
  record.set_source(noise());
  record.set_record_id(noise());
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST_F(RecordUsageTest, ARecordMayEndAMinuteAhead) {
  v1::UsageRecord record = record_;
  *record.mutable_end_time() = ToTimestamp(TestEpoch() + absl::Minutes(61));
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST_F(RecordUsageTest, UsageFactorAndBillingPriceTheRecord) {
  v1::UsageRecord record = record_;
  record.set_qos("double");
  Send(record);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 800);
  record.set_record_id("billing");
  record.clear_qos();
  record.set_billing(7);
  Send(record);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 1500);
}

TEST_F(RecordUsageTest, WithoutAUserTheAccountItselfIsCharged) {
  v1::UsageRecord record = record_;
  record.clear_user();
  Send(record);
  EXPECT_DOUBLE_EQ(RawUsage("a"), 400);
  EXPECT_DOUBLE_EQ(RawUsage("a", "amy"), 0);
}

TEST_F(RecordUsageTest, TresAndWallSecondsAreKeptBesideTheBilling) {
  v1::UsageRecord record = record_;
  (*record.mutable_tres())["GRES/gpu"] = 2;
  Send(record);
  Recalculate(service_);
  const v1::AssociationShare share = ShareOf(ListShares(service_), "a", "amy");
  EXPECT_DOUBLE_EQ(share.tres_usage().at("cpu"), 400);
  EXPECT_DOUBLE_EQ(share.tres_usage().at("gres/gpu"), 200);
  EXPECT_EQ(share.wall_usage().seconds(), 100);
}

TEST_F(RecordUsageTest, AUserImportedASecondAgoIsChargedBeforeTheNextRecalculation) {
  v1::UsageRecord record = record_;
  record.set_user("new");
  EXPECT_EQ(Send(record).reason(), v1::REJECTION_REASON_UNKNOWN_USER);
  v1::ImportRequest more;
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
          "Parent - 'a'\nUser - 'new':DefaultAccount='a':Fairshare=1\n",
          &more);
  Import(service_, more);
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

TEST_F(RecordUsageTest, ARecordOfADeletedUserGoesToTheAccount) {
  Send(record_);
  v1::ImportRequest without_amy;
  without_amy.set_clean(true);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
          "Parent - 'a'\nUser - 'ben':DefaultAccount='a':Fairshare=1\n",
          &without_amy);
  Import(service_, without_amy);
  v1::UsageRecord late = record_;
  late.set_record_id("late");
  EXPECT_EQ(Send(late).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Send(record_).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_DOUBLE_EQ(RawUsage("a"), 800);
  EXPECT_DOUBLE_EQ(RawUsage("root"), 800);
}

TEST_F(RecordUsageTest, AFaultOfTheWholeRequestWritesNothing) {
  v1::RecordUsageRequest request = Batch({record_});
  request.set_cluster("other");
  grpc::Status status;
  RecordUsage(service_, request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_CLUSTER");
  EXPECT_DOUBLE_EQ(RawUsage("root"), 0);
}

TEST(RecordUsageLimitTest, TheErrorNamesTheLimit) {
  TestService service({.database_url = "", .limits = {.max_jobs = 10, .max_records = 1}});
  Import(service, SmallSite());
  const v1::UsageRecord record = Usage("r", TestEpoch(), absl::Seconds(0), 1);
  grpc::Status status;
  RecordUsage(service, Batch({record, record}), &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "records");
  EXPECT_EQ(status.error_message(), "records: got 2, want at most 1 a call");
}

// Half-life of one hour: closed forms are easy to say.
class DecayingUsageTest : public RecordUsageTest {
 protected:
  DecayingUsageTest() : RecordUsageTest("PriorityDecayHalfLife=1:0:0\n") {}
};

TEST_F(DecayingUsageTest, SplitAndLateRecordsCountLikeOne) {
  const absl::Time start = TestEpoch();
  v1::UsageRecord whole = Usage("whole", start, absl::Seconds(600), 4);
  whole.set_user("ben");
  Send(whole);
  Send(Usage("late half", start + absl::Seconds(300), absl::Seconds(300), 4));
  Send(Usage("early half", start, absl::Seconds(300), 4));
  const double ben = RawUsage("a", "ben");
  EXPECT_NEAR(RawUsage("a", "amy") / ben, 1, 1e-9);
  // At T = end + 3000 s: 4 * HL/ln2 * 2^-(3000/3600) * (1 - 2^-(600/3600)).
  const double exact =
      4 * 3600 / std::log(2) * std::exp2(-3000.0 / 3600) * -std::expm1(-std::log(2) / 6);
  EXPECT_NEAR(ben / exact, 1, 1e-9);
}

TEST_F(DecayingUsageTest, AnotherHalfLifeCountsFromItsRecalculationOn) {
  Send(record_);
  const double before = RawUsage("a", "amy");
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityDecayHalfLife=2:0:0\n");
  ApplyPolicy(service_, policy);
  EXPECT_NEAR(RawUsage("a", "amy") / before, 1, 1e-12);
  service_.SetNow(service_.now() + absl::Hours(2));
  EXPECT_NEAR(RawUsage("a", "amy") / (before / 2), 1, 1e-9);
  // A record from before the change arrives late and counts as the first did.
  v1::UsageRecord late = record_;
  late.set_record_id("late");
  late.set_user("ben");
  Send(late);
  EXPECT_NEAR(RawUsage("a", "ben") / RawUsage("a", "amy"), 1, 1e-9);
}

TEST_F(DecayingUsageTest, ResetNowWipesOutWhatWasUsedBefore) {
  Send(record_);
  v1::ApplyPolicyRequest policy;
  policy.set_text("PriorityDecayHalfLife=1:0:0\nPriorityUsageResetPeriod=NOW\n");
  ApplyPolicy(service_, policy);
  EXPECT_EQ(RawUsage("a", "amy"), 0);
  v1::UsageRecord late = record_;
  late.set_record_id("late");
  Send(late);
  EXPECT_EQ(RawUsage("a", "amy"), 0);
  // It stays wiped out under the policy after.
  policy.set_text("PriorityDecayHalfLife=1:0:0\n");
  ApplyPolicy(service_, policy);
  EXPECT_EQ(RawUsage("a", "amy"), 0);
  service_.SetNow(service_.now() + absl::Hours(1));
  Send(Usage("after", service_.now() - absl::Minutes(30), absl::Minutes(1), 1));
  EXPECT_GT(RawUsage("a", "amy"), 0);
}

}  // namespace
}  // namespace priorityd::rpc
