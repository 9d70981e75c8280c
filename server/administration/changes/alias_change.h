// Changes of the names by which sources call users.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ALIAS_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ALIAS_CHANGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/administration/frame/change_list.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The aliases of a cluster.
inline constexpr int64_t kMaxAliases = 100'000;

// Of an alias, and of its source.
inline constexpr size_t kMaxAliasBytes = 256;

using Aliases = std::vector<storage::UserAlias>;

// A fault of the look of a text of an alias, as slurm::CheckAppearance has it. UpdateAliases adds
// no such alias, and Import leaves it out; one that is stored stays until it is removed.
struct AliasFault {
  absl::string_view field;  // Of UserAlias: alias, source or user.
  std::string message;
};
std::vector<AliasFault> FaultsOfAlias(const storage::UserAlias& alias);

// Removes aliases by source and name, and by user where one is given; then adds others. One that
// exists with the same user counts as unchanged. Errors name the fields `remove[0]`, `add[1].user`.
// NOT_FOUND: UNKNOWN_ALIAS, or UNKNOWN_USER for a user without an association.
// FAILED_PRECONDITION: ALIAS_TAKEN, ALIAS_IS_USER, ALIAS_CHAIN, TOO_MANY_ALIASES.
// REQUIRES: the cluster is locked by ClusterStore::Lock; no alias is twice in a list.
absl::Status UpdateAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const Aliases& remove, const Aliases& add, ChangeList* list);

// Names an alias of a list in errors, by its place in the list.
using AliasPlace = std::function<std::string(size_t i)>;

// The same for aliases that another cluster had: one whose user has no association, or that is a
// user itself, is a warning.
absl::Status CopyAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                         const Aliases& remove, const Aliases& add, const AliasPlace& place,
                         ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ALIAS_CHANGE_H_
