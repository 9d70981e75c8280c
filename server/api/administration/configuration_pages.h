// Pages of the associations and users of a cluster that a caller may see.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_CONFIGURATION_PAGES_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_CONFIGURATION_PAGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/changes/user_change.h"
#include "server/administration/tree/association_filter.h"
#include "server/administration/tree/tree_slice.h"
#include "server/authorization/visibility.h"
#include "storage/database/transaction.h"

namespace priorityd::rpc {

// The association after which a page starts, with the ids from root to it.
struct AssociationPlace {
  int64_t after = 0;
  int64_t unused = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return after > 0 && texts.size() == 1; }
};

// The user after which a page starts.
struct UserPlace {
  int64_t unused_first = 0;
  int64_t unused_second = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return texts.size() == 1; }
};

struct AssociationPage {
  administration::TreeSlice tree;  // With everything above the page's rows.
  std::vector<int64_t> ids;        // In tree order.
  std::optional<AssociationPlace> next;
  std::string etag;
};

struct UserPage {
  administration::UsersByName users;
  std::optional<UserPlace> next;
  std::string etag;
};

// Each returns up to `size` visible rows that match. NOT_FOUND (UNKNOWN_CLUSTER); errors of the
// database.

// Without a filter, attributes are read for the page only, and names for the rest.
absl::StatusOr<AssociationPage> ReadAssociationPage(storage::Transaction& transaction,
                                                    const std::string& cluster,
                                                    const administration::AssociationFilter& where,
                                                    const authorization::Visibility& sees,
                                                    const std::optional<AssociationPlace>& given,
                                                    size_t size);

// Reads only a few pages, unless few users are visible. A filter does not reveal the users of an
// account that the caller may not see.
absl::StatusOr<UserPage> ReadUserPage(storage::Transaction& transaction, const std::string& cluster,
                                      const administration::UserFilter& where,
                                      const authorization::Visibility& sees,
                                      const std::optional<UserPlace>& given, size_t size);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_CONFIGURATION_PAGES_H_
