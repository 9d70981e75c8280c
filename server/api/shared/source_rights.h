// The sources under which a caller may send jobs and usage.
#ifndef PRIORITYD_SERVER_API_SHARED_SOURCE_RIGHTS_H_
#define PRIORITYD_SERVER_API_SHARED_SOURCE_RIGHTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "priority/v1/usage.pb.h"
#include "server/authorization/role.h"
#include "server/transport/caller.h"
#include "server/usage/submitted_batch.h"

namespace priorityd::rpc {

// The source of a request about jobs.
struct JobSource {
  std::string name;
  // The only sources whose jobs it may change; empty = all.
  absl::flat_hash_set<std::string> bound_to;
};

// A user's source is always `user:NAME`, and no other caller may use this form. PERMISSION_DENIED
// (SOURCE_NOT_ALLOWED) for that, and for a source to which the auth file does not bind the
// frontend.
absl::StatusOr<JobSource> JobSourceOf(const Caller& caller, const std::string& wanted);

// The same for a request that names no source.
JobSource BoundSource(const Caller& caller);

// The sender of usage records, and of ends of jobs that are charged.
usage::Recorder RecorderOf(const Caller& caller);

// The only sources that a caller sees which has `roles` by the auth file's bindings alone, in the
// order of their names; empty = all.
std::vector<std::string> SourcesBoundBy(const Caller& caller, authorization::RoleSet roles);

// PERMISSION_DENIED (SOURCE_NOT_ALLOWED) if a record has a source to which the auth file does not
// bind the collector.
absl::Status CheckSources(const Caller& caller, const ::priority::v1::RecordUsageRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_SOURCE_RIGHTS_H_
