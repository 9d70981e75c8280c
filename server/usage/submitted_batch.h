// A batch of usage records as a collector submits it.
#ifndef PRIORITYD_SERVER_USAGE_SUBMITTED_BATCH_H_
#define PRIORITYD_SERVER_USAGE_SUBMITTED_BATCH_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/usage/usage_submission.h"

namespace priorityd::usage {

// By record of a batch, in order.
using RecordResults = std::vector<RecordResult>;

// The sender of a batch.
struct Recorder {
  std::string name;       // Principal::qualified; empty = unknown.
  std::string described;  // For the audit.
};

struct SubmittedBatch {
  std::string cluster;
  std::vector<UsageSubmission> submissions;
  // Called once, from any thread: with the results after the accepted records are on disk, or with
  // an error, after which the same batch may be sent again.
  std::function<void(absl::StatusOr<RecordResults>)> done;
  // Set when an earlier batch of the same stream has failed; null = no stream. This batch is not
  // written then: its records may replace records of the failed one and would be rejected without
  // them.
  std::shared_ptr<const std::atomic<bool>> earlier_failed;
  Recorder recorder = {};
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_SUBMITTED_BATCH_H_
