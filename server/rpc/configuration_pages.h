// Pages of a cluster's associations and users, as one caller is shown them.
#ifndef PRIORITYD_SERVER_RPC_CONFIGURATION_PAGES_H_
#define PRIORITYD_SERVER_RPC_CONFIGURATION_PAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/association_filter.h"
#include "server/administration/tree_slice.h"
#include "server/administration/user_change.h"
#include "server/authorization/visibility.h"
#include "storage/transaction.h"

namespace priorityd::rpc {

// After which association a page begins, and the ids on the way to it from root.
struct AssociationPlace {
  int64_t after = 0;
  int64_t unused = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return after > 0 && texts.size() == 1; }
};

// After which user.
struct UserPlace {
  int64_t unused_first = 0;
  int64_t unused_second = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return texts.size() == 1; }
};

struct AssociationPage {
  administration::TreeSlice tree;  // With all above what the page has.
  std::vector<int64_t> ids;        // In tree order.
  std::optional<AssociationPlace> next;
  std::string etag;
};

struct UserPage {
  administration::UsersByName users;
  std::optional<UserPlace> next;
  std::string etag;
};

// Each: `size` of those that fit and are shown. NOT_FOUND (UNKNOWN_CLUSTER); errors of the
// database.

// Without a filter what is set is read of the page only, and of the rest the names.
absl::StatusOr<AssociationPage> ReadAssociationPage(storage::Transaction& transaction,
                                                    const std::string& cluster,
                                                    const administration::AssociationFilter& where,
                                                    const authorization::Visibility& sees,
                                                    const std::optional<AssociationPlace>& given,
                                                    size_t size);

// Reads no more than a few pages, unless few are shown. Who is not shown an account does not learn
// by a filter whose it is.
absl::StatusOr<UserPage> ReadUserPage(storage::Transaction& transaction, const std::string& cluster,
                                      const administration::UserFilter& where,
                                      const authorization::Visibility& sees,
                                      const std::optional<UserPlace>& given, size_t size);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONFIGURATION_PAGES_H_
