// Replacements of another principal's records: the senders' errors and the audit events.
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
#include "storage/database/transaction.h"

namespace priorityd::usage {

inline constexpr char kReplaceUsage[] = "ReplaceUsage";

// Appends ReplaceUsage events to the audit for replacements of another principal's records, allowed
// or refused: at most one event a minute for each pair of principals and verdict, with the first
// record. Returns the error of each refused record, by place. `sender_of`: the sender of the record
// at a place. REQUIRES: `records` are those of the decision, in a transaction of the cluster.
absl::StatusOr<std::map<size_t, std::string>> AuditReplacements(
    storage::Transaction& transaction, int32_t cluster_id, RecordSpan records,
    const std::vector<ByAnother>& by_another,
    const std::function<const Recorder&(size_t place)>& sender_of);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_REPLACEMENT_AUDIT_H_
