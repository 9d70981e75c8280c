// The users behind the names that sources send.
#ifndef PRIORITYD_SERVER_CONFIGURATION_ALIAS_MAP_H_
#define PRIORITYD_SERVER_CONFIGURATION_ALIAS_MAP_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "storage/configuration/user_alias_store.h"

namespace priorityd::configuration {

// The aliases of one cluster. Immutable, thread-safe.
class AliasMap {
 public:
  AliasMap() = default;
  explicit AliasMap(absl::Span<const storage::UserAlias> aliases);

  // The user that `name` is an alias of: for this source, otherwise for every source. `name` itself
  // if it is none. The user of an alias is not resolved again. The result points into this object
  // or to `name`.
  absl::string_view Resolve(absl::string_view source, absl::string_view name) const;

  bool empty() const { return by_source_.empty(); }

 private:
  using Users = absl::flat_hash_map<std::string, std::string>;  // By alias.

  absl::flat_hash_map<std::string, Users> by_source_;
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_ALIAS_MAP_H_
