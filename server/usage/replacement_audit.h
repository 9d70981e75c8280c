// Records that would replace what another principal recorded: what their senders are answered, and
// what the audit has of it.
#ifndef PRIORITYD_SERVER_USAGE_REPLACEMENT_AUDIT_H_
#define PRIORITYD_SERVER_USAGE_REPLACEMENT_AUDIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/usage/ledger_decision.h"
#include "server/usage/submitted_batch.h"
#include "storage/transaction.h"

namespace priorityd::usage {

inline constexpr char kReplaceUsage[] = "ReplaceUsage";

// Appends to the audit, as ReplaceUsage, that records were replaced by another principal, or were
// not: an event for each two principals and verdict, a minute at most, of the first record. Returns
// why each one was refused, by its place. `sender_of`: who sent the record at a place.
// REQUIRES: `records` are those of the decision, in a transaction of the cluster.
absl::StatusOr<std::map<size_t, std::string>> AuditReplacements(
    storage::Transaction& transaction, int32_t cluster_id, RecordSpan records,
    const std::vector<ByAnother>& by_another,
    const std::function<const Recorder&(size_t place)>& sender_of);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_REPLACEMENT_AUDIT_H_
