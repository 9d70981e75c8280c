// The default account of each user of a cluster.
#ifndef PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEFAULT_ACCOUNTS_H_
#define PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEFAULT_ACCOUNTS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/site/name_table.h"

namespace priorityd::priority {

// Immutable; each name is stored once.
class DefaultAccounts {
 public:
  using UserAndAccount = std::pair<absl::string_view, absl::string_view>;

  DefaultAccounts() = default;
  // A user without a default account may be missing or have an empty account.
  explicit DefaultAccounts(absl::Span<const UserAndAccount> given);

  // The default account of `user`; empty if there is none. Valid as long as this object.
  absl::string_view Find(absl::string_view user) const;

  // The same with these accounts instead; the last one of a user counts.
  DefaultAccounts With(absl::Span<const UserAndAccount> given) const;

  // Equal objects have equal hashes.
  size_t Hash() const;
  friend bool operator==(const DefaultAccounts& a, const DefaultAccounts& b) {
    return a.names_ == b.names_ && a.account_ == b.account_;
  }

 private:
  NameTable names_;
  std::vector<NameId> account_;  // By the user's NameId; 0 = none.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SNAPSHOT_DEFAULT_ACCOUNTS_H_
