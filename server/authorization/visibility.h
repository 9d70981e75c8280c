// Which rows a caller is shown: the one place where that is asked.
#ifndef PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_
#define PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/authorization/private_data.h"

namespace priorityd::authorization {

using AccountSet = absl::flat_hash_set<std::string>;

// Whose rows are hers.
struct Viewer {
  // Empty = nobody's in the association data.
  std::string user;
  // Those on the ways from root to her associations and to the accounts that she coordinates.
  AccountSet on_her_ways;
  // Those that she coordinates, and all below them.
  AccountSet coordinated;
};

// After slurm.conf(5), PrivateData. What is hers she sees whatever is private, and of the accounts
// that she coordinates all. Immutable, thread-safe; cheap to copy while nothing is private.
class Visibility {
 public:
  // Everything.
  Visibility() = default;
  // All but what `hidden` keeps from `viewer`.
  Visibility(const PrivateData& hidden, Viewer viewer);

  bool sees_all() const { return !hidden_.any(); }
  // Samples of the past: `events`.
  bool sees_events() const { return !hidden_.events; }
  bool sees_all_jobs() const { return !hidden_.jobs; }
  bool sees_all_shares() const { return !hidden_.usage && !hidden_.users && !hidden_.accounts; }

  // A job of the tracked queue: `jobs`. `account`: the one charged.
  bool SeesJob(absl::string_view user, absl::string_view account) const;

  // Usage, shares and fair-share of an association, or what of the ledger was charged to it:
  // `usage` and `users` hide those of other users, and together with `accounts` those of accounts
  // that lie on none of her ways. `user` empty = the account itself.
  bool SeesShares(absl::string_view user, absl::string_view account) const;

  // The accounts of whose records she sees every user's; for where rows are not asked about one by
  // one. Sorted. REQUIRES: !sees_all_shares().
  std::vector<std::string> AccountsOfAllRecords() const;

  // Empty = nobody in the association data.
  const std::string& user() const { return viewer_.user; }

  // Whether two callers are shown the same.
  friend bool operator==(const Visibility& a, const Visibility& b);

 private:
  bool IsHers(absl::string_view user) const { return !user.empty() && user == viewer_.user; }

  PrivateData hidden_;
  Viewer viewer_;  // Empty while nothing is hidden.
};

}  // namespace priorityd::authorization

#endif  // PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_
