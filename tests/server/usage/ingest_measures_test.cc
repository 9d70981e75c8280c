#include "server/usage/ingest_measures.h"

#include <gtest/gtest.h>

#include <memory>
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
