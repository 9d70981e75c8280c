// The users whose ledger records a caller may see.
#ifndef PRIORITYD_SERVER_API_USAGE_AUDIENCE_H_
#define PRIORITYD_SERVER_API_USAGE_AUDIENCE_H_

#include <optional>

#include "server/authorization/visibility.h"
#include "storage/ledger/report_store.h"

namespace priorityd::rpc {

// Unset = all records.
inline std::optional<storage::ReportAudience> AudienceOf(const authorization::Visibility& sees) {
  if (sees.sees_all_shares()) return std::nullopt;
  return storage::ReportAudience{sees.user(), sees.AccountsOfAllRecords()};
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_AUDIENCE_H_
