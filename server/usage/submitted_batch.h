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

// One for each record of a batch, in their order.
using RecordResults = std::vector<RecordResult>;

// Who sends a batch.
struct Recorder {
  std::string name;       // Principal::qualified; empty = nobody knows.
  std::string described;  // As the audit has it.
};

struct SubmittedBatch {
  std::string cluster;
  std::vector<UsageSubmission> submissions;
  // Called once, from any thread: the results, after the accepted records are on disk;
  // or an error, and then the same batch may be sent again.
  std::function<void(absl::StatusOr<RecordResults>)> done;
  // Set as soon as a batch failed that was sent before this one on the same stream;
  // null = there is none. This one is not written then: its records may replace
  // records of that one, and would be rejected without them.
  std::shared_ptr<const std::atomic<bool>> earlier_failed;
  Recorder recorder = {};
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_SUBMITTED_BATCH_H_
