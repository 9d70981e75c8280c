// Which associations a request asks for.
#ifndef PRIORITYD_SERVER_RPC_SHARE_FILTER_H_
#define PRIORITYD_SERVER_RPC_SHARE_FILTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/authorization/visibility.h"
#include "server/priority/association_tree.h"

namespace priorityd::rpc {

// By the fields of ListSharesRequest.
struct ShareFilter {
  absl::flat_hash_set<std::string> accounts;
  absl::flat_hash_set<std::string> users;
  bool subtree = false;
  bool accounts_only = false;
};

// Of any request that has such fields.
template <typename Request>
ShareFilter FilterOf(const Request& request) {
  return {{request.accounts().begin(), request.accounts().end()},
          {request.users().begin(), request.users().end()},
          request.subtree(),
          request.accounts_only()};
}

// By AssociationIndex: as if there were no others than those that the caller is shown.
std::vector<bool> Select(const priority::AssociationTree& tree, const ShareFilter& filter,
                         const authorization::Visibility& sees);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SHARE_FILTER_H_
