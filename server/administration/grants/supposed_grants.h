// Changes of grants that are only supposed.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_GRANTS_SUPPOSED_GRANTS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_GRANTS_SUPPOSED_GRANTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/amount.h"
#include "server/administration/grants/grant_checks.h"
#include "server/administration/settings/setting.h"
#include "server/grants/grant_book.h"

namespace priorityd::administration {

// A grant with other settings, a new grant, or a revoked one.
struct SupposedGrant {
  std::string name;
  std::vector<Setting> settings;  // As UpdateGrants takes them; empty if it is revoked.
  bool is_revoked = false;

  friend bool operator==(const SupposedGrant&, const SupposedGrant&) = default;
};

// The book after UpdateGrants and RevokeGrants at `now`, in memory alone, with `zone` that of the
// policy. The errors of both, with the fields `grants[2].name`, `grants[2].settings[0].value`.
// REQUIRES: each name once.
absl::Status SupposeGrants(absl::Span<const SupposedGrant> grants, const GrantSite& site,
                           absl::Time now, const absl::TimeZone& zone, grants::GrantBook* book);

// An amount moved between the present windows of two grants.
struct SupposedTransfer {
  std::string from;
  std::string to;
  grants::Amount amount;  // Above 0.

  friend bool operator==(const SupposedTransfer&, const SupposedTransfer&) = default;
};

// The book after TransferGrant at `now`, in memory alone. Whether the giving grants have as much
// left is not checked. NOT_FOUND (UNKNOWN_GRANT); FAILED_PRECONDITION (GRANT_REVOKED,
// GRANT_NOT_IN_FORCE); INVALID_ARGUMENT: of another TRES, or the same grant; with the fields
// `grant_transfers[2].from`, `.to`.
absl::Status SupposeTransfers(absl::Span<const SupposedTransfer> transfers, absl::Time now,
                              grants::GrantBook* book);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_GRANTS_SUPPOSED_GRANTS_H_
