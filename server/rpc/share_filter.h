// Which associations a request asks for.
#ifndef PRIORITYD_SERVER_RPC_SHARE_FILTER_H_
#define PRIORITYD_SERVER_RPC_SHARE_FILTER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
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

// By AssociationIndex.
std::vector<bool> Select(const priority::AssociationTree& tree, const ShareFilter& filter);

// Of everything that decides which rows a list has, for page tokens: the
// request without its page, and the cluster's name.
template <typename Request>
uint64_t Fingerprint(const std::string& cluster, Request request) {
  request.set_cluster(cluster);
  request.clear_page_size();
  request.clear_page_token();
  return std::hash<std::string>()(request.SerializeAsString());
}

// The rows of a page: 10,000 where the request does not say, at most 100,000.
int PageSizeOf(int requested);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SHARE_FILTER_H_
