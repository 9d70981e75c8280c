// ListDomains and UpdateDomain.
#ifndef PRIORITYD_SERVER_API_DOMAINS_ADMINISTER_DOMAINS_H_
#define PRIORITYD_SERVER_API_DOMAINS_ADMINISTER_DOMAINS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/domain.pb.h"
#include "server/api/shared/administration_call.h"
#include "server/recalculation/snapshot_registry.h"
#include "server/transport/boundary.h"
#include "server/transport/caller.h"
#include "storage/database/database.h"

namespace priorityd::rpc {

// Lists the members of domains, where both are clusters in which a role of the caller may call it.
// `now`: by the site's clock.
absl::Status ListDomains(storage::Database& database, const Boundary& boundary,
                         const recalculation::SnapshotRegistry& registry, absl::Time now,
                         const Caller& caller, const ::priority::v1::ListDomainsRequest& request,
                         ::priority::v1::ListDomainsResponse* response);

// The caller must have the right in every cluster that joins or leaves too. Takes effect at the
// next recalculation of the domain, and for those that leave at their own. Errors of
// administration::UpdateDomain.
absl::Status UpdateDomain(const AdministrationCall& call,
                          const ::priority::v1::UpdateDomainRequest& request,
                          ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_DOMAINS_ADMINISTER_DOMAINS_H_
