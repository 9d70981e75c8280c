// The filter of associations in a request.
#ifndef PRIORITYD_SERVER_API_SHARED_SHARE_FILTER_H_
#define PRIORITYD_SERVER_API_SHARED_SHARE_FILTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "engine/priority/fair_share/association_tree.h"
#include "server/authorization/visibility.h"

namespace priorityd::rpc {

// The fields of ListSharesRequest.
struct ShareFilter {
  absl::flat_hash_set<std::string> accounts;
  absl::flat_hash_set<std::string> users;
  bool subtree = false;
  bool accounts_only = false;
};

// From any request with these fields.
template <typename Request>
ShareFilter FilterOf(const Request& request) {
  return {{request.accounts().begin(), request.accounts().end()},
          {request.users().begin(), request.users().end()},
          request.subtree(),
          request.accounts_only()};
}

// By AssociationIndex: as if only the associations existed that the caller may see.
std::vector<bool> Select(const priority::AssociationTree& tree, const ShareFilter& filter,
                         const authorization::Visibility& sees);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_SHARE_FILTER_H_
