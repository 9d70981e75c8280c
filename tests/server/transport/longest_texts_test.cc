// The longest texts that the bounds allow, of noise that PostgreSQL cannot make shorter, fit every
// row and every index of the schema: SQLSTATE 54000 (program_limit_exceeded) is never reached,
// which would fail a batch of others, and again each time it is sent again.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/usage/roll_up.h"
#include "storage/database/database.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using errors::kMaxCommentBytes;
using errors::kMaxExpressionBytes;
using errors::kMaxNameBytes;
using errors::kMaxTextBytes;

constexpr char kPolicy[] = "PriorityCalcPeriod=5256000\nPurgeJobAfter=48hours\n";

class LongestTextsTest : public ::testing::Test {
 protected:
  LongestTextsTest() {
    v1::ImportRequest site;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
            absl::StrCat("ClusterName=", cluster_, "\n", kPolicy, "NodeName=n[1-10] CPUs=10\n",
                         "PartitionName=", partition_, " Nodes=ALL Default=YES\n"),
            &site);
    AddFile(v1::FILE_KIND_QOS, "qos.txt",
            absl::StrCat("Name|Priority|UsageFactor\n", qos_, "|0|1\n"), &site);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            absl::StrCat("Cluster - '", cluster_, "':Fairshare=1:QOS='", qos_, "'\n",
                         "Parent - 'root'\nAccount - '", account_, "':Fairshare=1\nParent - '",
                         account_, "'\nUser - '", user_, "':DefaultAccount='", account_,
                         "':Fairshare=1\nUser - '", user_, "':Partition='", partition_,
                         "':Fairshare=1\n"),
            &site);
    Import(service_, site);
    service_.SetNow(TestEpoch() + absl::Hours(1));
  }

  // Of letters and digits, as names are.
  std::string Noise(size_t bytes) {
    std::string text(bytes, ' ');
    for (char& c : text) c = "abcdefghijklmnopqrstuvwxyz0123456789"[random_() % 36];
    return text;
  }
  // Of any characters that a text may have.
  std::string Text(size_t bytes = kMaxTextBytes) {
    std::string text(bytes, ' ');
    for (char& c : text) c = static_cast<char>('!' + random_() % 94);
    return text;
  }

  v1::UsageRecord Record() {
    v1::UsageRecord record = Usage(Text(), TestEpoch(), absl::Minutes(1), 1);
    record.set_source(source_);
    record.set_job_id(Text());
    record.set_user(user_);
    record.set_account(account_);
    record.set_partition(partition_);
    record.set_qos(qos_);
    while (record.tres_size() < static_cast<int>(errors::kMaxTresNames)) {
      (*record.mutable_tres())["gres/" + Noise(kMaxTextBytes - 5)] = 1;
    }
    return record;
  }

  std::mt19937_64 random_{54000};
  const std::string cluster_ = Noise(kMaxNameBytes);
  const std::string partition_ = Noise(kMaxNameBytes);
  const std::string qos_ = Noise(kMaxNameBytes);
  const std::string account_ = Noise(kMaxNameBytes);
  const std::string user_ = Noise(kMaxNameBytes);
  const std::string source_ = Text();
  TestService service_;
};

TEST_F(LongestTextsTest, AreRecordedCorrectedReportedAndRolledUp) {
  v1::RecordUsageRequest request;
  *request.add_records() = Record();
  *request.add_records() = Record();
  request.mutable_records(1)->set_replaces_record_id(request.records(0).record_id());
  v1::UsageRecord* counters = request.add_records();
  *counters = Record();
  counters->clear_record_id();
  *counters->mutable_counters()->mutable_tres_seconds() = counters->tres();
  counters->clear_tres();
  const v1::RecordUsageResponse response = RecordUsage(service_, request);
  EXPECT_EQ(response.accepted(), 3) << response.DebugString();
  EXPECT_EQ(RecordUsage(service_, request).duplicates(), 3);
  Recalculate(service_);
  service_.SetNow(TestEpoch() + absl::Hours(24 * 30));
  Recalculate(service_);
  const auto rolled_up = usage::RollUp(
      service_.database(), {.cluster = cluster_, .max_records = 50}, [] { return true; });
  ASSERT_TRUE(rolled_up.ok()) << rolled_up.status();
}

TEST_F(LongestTextsTest, AreTrackedAndRemoved) {
  v1::UpdateJobsRequest request;
  request.set_source(Text(kMaxNameBytes));
  v1::Job* job = request.add_upserts();
  job->set_job_id(Text());
  job->set_user(user_);
  job->set_account(account_);
  job->add_partitions(partition_);
  job->add_qos(qos_);
  job->set_reservation(Text());
  job->set_name(Text());
  for (const v1::UsageRecord record = Record(); const auto& [tres, count] : record.tres()) {
    (*job->mutable_tres())[tres] = count;
  }
  std::string* dependency = job->mutable_dependency();
  *dependency = "afterok:1";
  while (dependency->size() + 66 < kMaxExpressionBytes) {
    absl::StrAppend(dependency, ":", Noise(65));
  }
  const v1::UpdateJobsResponse response = UpdateJobs(service_, request);
  EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED) << response.DebugString();
  v1::UpdateJobsRequest removal;
  removal.set_source(request.source());
  removal.add_removals(job->job_id());
  EXPECT_EQ(UpdateJobs(service_, removal).removals(0).outcome(), v1::UPDATE_OUTCOME_REMOVED);
}

TEST_F(LongestTextsTest, AreCommentsOfAnOperator) {
  v1::ApplyPolicyRequest policy;
  policy.set_text(absl::StrCat("ClusterName=", cluster_, "\n", kPolicy, "PriorityWeightAge=1\n"));
  policy.set_file_name(Text());
  policy.set_comment(Text(kMaxCommentBytes));
  EXPECT_TRUE(ApplyPolicy(service_, policy).created());
  Recalculate(service_);
  v1::ResetUsageRequest reset;
  reset.set_account(account_);
  reset.set_user(user_);
  reset.set_partition(partition_);
  reset.set_comment(Text(kMaxCommentBytes));
  v1::ResetUsageResponse response;
  const grpc::Status status = CallUnary(service_, reset, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

}  // namespace
}  // namespace priorityd::rpc
