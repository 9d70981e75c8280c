// Requests of replicas to the leader for a recalculation, through the database.
#ifndef PRIORITYD_SERVER_RECALCULATION_LEADER_REQUESTS_H_
#define PRIORITYD_SERVER_RECALCULATION_LEADER_REQUESTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/snapshot/snapshot.h"
#include "storage/database/database.h"
#include "storage/snapshots/recalculation_request_store.h"

namespace priorityd::recalculation {

// All functions return errors of the database.

// Posts a request and notifies the replicas; returns its id.
absl::StatusOr<int64_t> PostRequest(storage::Database& database,
                                    const storage::RecalculationRequest& request);

// The generation that the leader computed for a request, or the leader's error as if it had
// occurred here; nullopt = no answer yet.
absl::StatusOr<std::optional<int64_t>> FindAnswer(storage::Database& database, int64_t id);

// Unanswered requests not older than `patience`, oldest first.
absl::StatusOr<std::vector<storage::RecalculationRequest>> ListRequests(storage::Database& database,
                                                                        absl::Duration patience);

// Stores the result of a request, notifies the replicas, and deletes old requests.
absl::Status AnswerRequest(storage::Database& database,
                           const storage::RecalculationRequest& request,
                           const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& result);

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_LEADER_REQUESTS_H_
