// Names by which sources call users.
#ifndef STORAGE_CONFIGURATION_USER_ALIAS_STORE_H_
#define STORAGE_CONFIGURATION_USER_ALIAS_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

struct UserAlias {
  std::string source;  // "" = every source without its own.
  std::string alias;
  std::string user_name;
  int64_t version = 0;  // Of the aliases, when it was added.
  bool operator==(const UserAlias&) const = default;
};

// Filters of a list; empty = all.
struct UserAliasFilter {
  std::vector<std::string> sources;
  std::vector<std::string> users;
};

// The version of a cluster's aliases.
struct UserAliasVersion {
  int32_t cluster_id = 0;
  std::string cluster_name;
  int64_t version = 0;
  bool operator==(const UserAliasVersion&) const = default;
};

// Lists are in bytewise order of source, then alias. A change of the rows also makes a new revision
// of the configuration.
class UserAliasStore {
 public:
  explicit UserAliasStore(Transaction& transaction) : transaction_(transaction) {}

  absl::StatusOr<std::vector<UserAlias>> List(int32_t cluster_id);

  // At most `limit` that match and are after (source, alias).
  absl::StatusOr<std::vector<UserAlias>> ListPage(int32_t cluster_id, const UserAliasFilter& filter,
                                                  const std::string& after_source,
                                                  const std::string& after_alias, int64_t limit);

  // The aliases among `keys`, of which only source and alias are read.
  absl::StatusOr<std::vector<UserAlias>> Find(int32_t cluster_id, absl::Span<const UserAlias> keys);

  absl::StatusOr<int64_t> Count(int32_t cluster_id);

  // The ones of `names` that name a user with a living association; that are an alias, of any
  // source; that name the user of an alias.
  absl::StatusOr<std::vector<std::string>> UsersAmong(int32_t cluster_id,
                                                      const std::vector<std::string>& names);
  absl::StatusOr<std::vector<std::string>> AliasesAmong(int32_t cluster_id,
                                                        const std::vector<std::string>& names);
  absl::StatusOr<std::vector<std::string>> TargetsAmong(int32_t cluster_id,
                                                        const std::vector<std::string>& names);

  // REQUIRES: none of them exists.
  absl::Status Insert(int32_t cluster_id, absl::Span<const UserAlias> aliases);

  // Deletes those of these keys.
  absl::Status Delete(int32_t cluster_id, absl::Span<const UserAlias> keys);

  // 0 = there never were any.
  absl::StatusOr<int64_t> Version(int32_t cluster_id);
  // Makes the next version and returns it.
  absl::StatusOr<int64_t> Advance(int32_t cluster_id);
  // Of every cluster that ever had some.
  absl::StatusOr<std::vector<UserAliasVersion>> Versions();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_USER_ALIAS_STORE_H_
