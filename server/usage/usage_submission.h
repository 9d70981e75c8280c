// A usage record as submitted by a collector, and its result.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_SUBMISSION_H_
#define PRIORITYD_SERVER_USAGE_USAGE_SUBMISSION_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "storage/ledger/job_accounting_store.h"

namespace priorityd::usage {

// (name as given, amount); names may repeat in different case.
using NamedAmounts = absl::InlinedVector<std::pair<absl::string_view, double>, 4>;

struct UsageCounters {
  NamedAmounts tres_seconds;
  std::optional<double> billing_seconds;
};

// Points into storage of the caller, which must outlive it. Empty text = not given.
struct UsageSubmission {
  absl::string_view source;
  absl::string_view record_id;
  absl::string_view job_id;
  absl::string_view user;
  absl::string_view account;
  absl::string_view partition;
  absl::string_view qos;
  // Unset = not given; infinite = outside the years 1 to 9999.
  std::optional<absl::Time> start_time;
  std::optional<absl::Time> end_time;
  NamedAmounts tres;
  std::optional<double> billing;
  // The record of the same source that this one corrects.
  absl::string_view replaces_record_id;
  // A running job's usage so far, instead of tres and billing.
  std::optional<UsageCounters> counters;
  // Accounting data of the job, as given; null = none. Infinite = out of the range of its type.
  std::shared_ptr<const storage::JobAccounting> job;
};

// The values of the API's RejectionReason.
enum class RejectionReason {
  kMissingField,
  kUnknownAccount,
  kUnknownUser,
  kUnknownQos,
  kUnknownPartition,
  kUnknownTres,
  kEndBeforeStart,
  kEndInFuture,
  kOutOfRange,
  kNoAmount,
  kConflict,
  kInvalidText,
  kUnknownRecord,
  kAlreadyReplaced,
  kCounterBackwards,
  kOverlap,
  kTooOld,
  kTooManyTres,
  kOtherPrincipal,
  kBeyondCapacity,
};

// The reason for the rejection of a record.
struct Rejection {
  RejectionReason reason;
  std::string field;    // The record's field, for example `end_time`.
  std::string message;  // `got X, want Y`.
};

enum class RecordStatus { kAccepted, kDuplicate, kRejected };

struct RecordResult {
  RecordStatus status = RecordStatus::kAccepted;
  std::optional<Rejection> rejection;  // Set when rejected.
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_SUBMISSION_H_
