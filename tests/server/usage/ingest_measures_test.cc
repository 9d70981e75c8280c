#include "server/usage/ingest_measures.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace priorityd::usage {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(1'000'000);

std::unique_ptr<QueuedBatch> Batch(const std::vector<absl::Duration>& ages) {
  auto batch = std::make_unique<QueuedBatch>();
  batch->submitted.cluster = "c";
  for (const absl::Duration age : ages) {
    UsageSubmission submission;
    submission.end_time = kNow - age;
    batch->submitted.submissions.push_back(submission);
  }
  return batch;
}

RecordResult Result(RecordStatus status) {
  RecordResult result;
  result.status = status;
  return result;
}

TEST(IngestMeasuresTest, RecordsAreCountedByClusterAndOutcome) {
  IngestMeasures measures;
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Batch({absl::Hours(1), absl::Hours(1)}));
  group.push_back(Batch({absl::Hours(1)}));
  const std::vector<RecordResults> results = {
      {Result(RecordStatus::kAccepted), Result(RecordStatus::kDuplicate)},
      {Result(RecordStatus::kRejected)}};
  measures.NoteCommit(group, results, absl::Milliseconds(3), kNow);
  EXPECT_EQ(measures.records()["c"].accepted, 1);
  EXPECT_EQ(measures.records()["c"].duplicate, 1);
  EXPECT_EQ(measures.records()["c"].rejected, 1);
  EXPECT_EQ(measures.commit_records().Read().sum, 3);
  EXPECT_DOUBLE_EQ(measures.commit_seconds().Read().sum, 0.003);
}

TEST(IngestMeasuresTest, AcceptedRecordsAloneAreLate) {
  IngestMeasures measures;
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Batch({absl::Minutes(1), absl::Minutes(2), -absl::Minutes(3)}));
  measures.NoteCommit(
      group,
      std::vector<RecordResults>{{Result(RecordStatus::kAccepted), Result(RecordStatus::kDuplicate),
                                  Result(RecordStatus::kAccepted)}},
      absl::ZeroDuration(), kNow);
  EXPECT_EQ(measures.lateness_seconds().Read().count(), 2u);
  EXPECT_DOUBLE_EQ(measures.lateness_seconds().Read().sum, 60);
}

TEST(IngestMeasuresTest, RejectedRecordsAreCountedBySourceWhoseNumberIsBounded) {
  IngestMeasures measures;
  const auto note = [&](const std::string& source, RecordStatus status) {
    std::vector<std::unique_ptr<QueuedBatch>> group;
    group.push_back(Batch({absl::Hours(1)}));
    group[0]->submitted.submissions[0].source = source;
    measures.NoteCommit(group, std::vector<RecordResults>{{Result(status)}}, absl::ZeroDuration(),
                        kNow);
  };
  note("slurm", RecordStatus::kAccepted);
  EXPECT_EQ(measures.rejected(), (std::map<std::string, int64_t>{{"slurm", 0}}));
  note("slurm", RecordStatus::kRejected);
  note(std::string(256, 'x'), RecordStatus::kRejected);
  EXPECT_EQ(measures.rejected(), (std::map<std::string, int64_t>{{"other", 1}, {"slurm", 1}}));
  for (int i = 0; i < 200; ++i) note(std::to_string(i), RecordStatus::kRejected);
  note("slurm", RecordStatus::kRejected);
  const std::map<std::string, int64_t> rejected = measures.rejected();
  EXPECT_EQ(rejected.size(), IngestMeasures::kMaxSources);
  EXPECT_EQ(rejected.at("slurm"), 2);
  // 98 of the 200 have a count of their own.
  EXPECT_EQ(rejected.at("other"), 1 + 102);
}

TEST(IngestMeasuresTest, AFailedCommitCountsNoRecords) {
  IngestMeasures measures;
  std::vector<std::unique_ptr<QueuedBatch>> group;
  group.push_back(Batch({absl::Hours(1)}));
  measures.NoteCommit(group, absl::UnavailableError("no"), absl::Seconds(1), kNow);
  EXPECT_EQ(measures.failed_commits(), 1);
  EXPECT_EQ(measures.commit_seconds().Read().count(), 1u);
  EXPECT_EQ(measures.commit_records().Read().count(), 0u);
  EXPECT_TRUE(measures.records().empty());
}

}  // namespace
}  // namespace priorityd::usage
