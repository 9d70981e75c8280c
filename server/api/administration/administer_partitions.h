// ListPartitions, UpdatePartitions, DeletePartitions.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_PARTITIONS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_PARTITIONS_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Each: INVALID_ARGUMENT with the violations; errors of administration/partition_change.h and of
// administration::MakeChange.

// The partitions that a user may use follow from the newest snapshot, as eligibility does:
// FAILED_PRECONDITION (NO_SNAPSHOT) before the first one. Only those of the user's associations
// count that the caller may see.
absl::Status ListPartitions(const AdministrationCall& call,
                            const ::priority::v1::ListPartitionsRequest& request,
                            ::priority::v1::ListPartitionsResponse* response);

absl::Status UpdatePartitions(const AdministrationCall& call,
                              const ::priority::v1::UpdatePartitionsRequest& request,
                              ::priority::v1::ChangeResponse* response);
absl::Status DeletePartitions(const AdministrationCall& call,
                              const ::priority::v1::DeletePartitionsRequest& request,
                              ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_PARTITIONS_H_
