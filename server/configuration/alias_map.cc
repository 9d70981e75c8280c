#include "server/configuration/alias_map.h"

namespace priorityd::configuration {

AliasMap::AliasMap(absl::Span<const storage::UserAlias> aliases) {
  for (const storage::UserAlias& row : aliases) by_source_[row.source][row.alias] = row.user_name;
}

absl::string_view AliasMap::Resolve(absl::string_view source, absl::string_view name) const {
  if (empty() || name.empty()) return name;
  for (const absl::string_view of : {source, absl::string_view("")}) {
    const auto users = by_source_.find(of);
    if (users == by_source_.end()) continue;
    const auto user = users->second.find(name);
    if (user != users->second.end()) return user->second;
  }
  return name;
}

}  // namespace priorityd::configuration
