// Corrections by replaces_record_id.
#include <gtest/gtest.h>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class CorrectUsageTest : public ::testing::Test {
 protected:
  CorrectUsageTest() {
    Import(service_, SmallSite("PriorityDecayHalfLife=1:0:0\n"));
    service_.SetNow(TestEpoch() + absl::Hours(2));
  }

  v1::UsageRecordResult Send(const v1::UsageRecord& record) {
    v1::RecordUsageRequest request;
    *request.add_records() = record;
    return RecordUsage(service_, request).results(0);
  }
  v1::AssociationShare Share(const std::string& user) {
    Recalculate(service_);
    return ShareOf(ListShares(service_), "a", user);
  }
  static v1::UsageRecord Correction(const std::string& record_id, const std::string& target,
                                    double cpus) {
    v1::UsageRecord record = Usage(record_id, TestEpoch(), absl::Seconds(100), cpus);
    record.set_replaces_record_id(target);
    return record;
  }

  TestService service_;
  const v1::UsageRecord wrong_ = Usage("wrong", TestEpoch(), absl::Seconds(100), 400);
};

TEST_F(CorrectUsageTest, CountsAsIfTheWrongRecordHadNeverCome) {
  v1::UsageRecord other = Usage("other", TestEpoch() + absl::Hours(1), absl::Seconds(10), 1);
  Send(other);
  Send(wrong_);
  EXPECT_EQ(Send(Correction("right", "wrong", 4)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  other.set_user("ben");
  other.set_record_id("other of ben");
  Send(other);
  v1::UsageRecord right = Usage("right of ben", TestEpoch(), absl::Seconds(100), 4);
  right.set_user("ben");
  Send(right);
  const v1::AssociationShare amy = Share("amy"), ben = Share("ben");
  EXPECT_NEAR(amy.raw_usage() / ben.raw_usage(), 1, 1e-9);
  EXPECT_NEAR(amy.tres_usage().at("cpu") / ben.tres_usage().at("cpu"), 1, 1e-9);
}

TEST_F(CorrectUsageTest, MovesUsageToAnotherAssociation) {
  Send(wrong_);
  v1::UsageRecord moved = Correction("moved", "wrong", 4);
  moved.set_user("ben");
  Send(moved);
  EXPECT_EQ(Share("amy").raw_usage(), 0);
  EXPECT_GT(Share("ben").raw_usage(), 0);
}

TEST_F(CorrectUsageTest, ARecordIsUndoneByAnEmptyCorrection) {
  Send(wrong_);
  v1::UsageRecord nothing = Correction("nothing", "wrong", 1);
  nothing.clear_tres();
  nothing.set_billing(0);
  EXPECT_EQ(Send(nothing).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Share("amy").raw_usage(), 0);
  EXPECT_EQ(Share("ben").raw_usage(), 0);
}

TEST_F(CorrectUsageTest, SentAgainItIsADuplicate) {
  Send(wrong_);
  Send(Correction("right", "wrong", 4));
  const double once = Share("amy").raw_usage();
  EXPECT_EQ(Send(Correction("right", "wrong", 4)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(Send(wrong_).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(Share("amy").raw_usage(), once);
}

TEST_F(CorrectUsageTest, TheFaultsOfACorrectionHaveTheirReasons) {
  EXPECT_EQ(Send(Correction("right", "wrong", 4)).reason(), v1::REJECTION_REASON_UNKNOWN_RECORD);
  Send(wrong_);
  EXPECT_EQ(Send(Correction("right", "wrong", 4)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  const v1::UsageRecordResult again = Send(Correction("again", "wrong", 4));
  EXPECT_EQ(again.reason(), v1::REJECTION_REASON_ALREADY_REPLACED);
  EXPECT_EQ(again.field(), "records[0].replaces_record_id");
  EXPECT_EQ(Send(Correction("again", "right", 5)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
}

}  // namespace
}  // namespace priorityd::rpc
