// The rows that a caller may see, decided in this place only.
#ifndef PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_
#define PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/authorization/private_data.h"

namespace priorityd::authorization {

using AccountSet = absl::flat_hash_set<std::string>;

// The rows of a user.
struct Viewer {
  // Empty = not in the association data.
  std::string user;
  // Accounts on the paths from root to the user's associations and coordinated accounts.
  AccountSet on_her_ways;
  // Coordinated accounts, including all below them.
  AccountSet coordinated;
};

// By slurm.conf(5), PrivateData. Users always see their own rows, and everything of the accounts
// that they coordinate. Immutable, thread-safe; cheap to copy while nothing is private.
class Visibility {
 public:
  // Shows everything.
  Visibility() = default;
  // Shows everything except what `hidden` hides from `viewer`.
  Visibility(const PrivateData& hidden, Viewer viewer);

  bool sees_all() const { return !hidden_.any(); }
  // Samples of the past: `events`.
  bool sees_events() const { return !hidden_.events; }
  bool sees_all_jobs() const { return !hidden_.jobs; }
  // Otherwise those that the viewer may use: `reservations`.
  bool sees_all_reservations() const { return !hidden_.reservations; }
  bool sees_all_shares() const { return !hidden_.usage && !hidden_.users && !hidden_.accounts; }

  // A job of the tracked queue: `jobs`. `account`: the one charged.
  bool SeesJob(absl::string_view user, absl::string_view account) const;

  // Usage, shares and fair-share of an association, and ledger records charged to it: `usage` and
  // `users` hide those of other users and, together with `accounts`, those of accounts off the
  // viewer's paths. `user` empty = the account itself.
  bool SeesShares(absl::string_view user, absl::string_view account) const;

  // The accounts in which the viewer sees every user's records, for queries that do not check row
  // by row. Sorted. REQUIRES: !sees_all_shares().
  std::vector<std::string> AccountsOfAllRecords() const;

  // Empty = not in the association data.
  const std::string& user() const { return viewer_.user; }

  // Whether two callers see the same rows.
  friend bool operator==(const Visibility& a, const Visibility& b);

 private:
  bool IsHers(absl::string_view user) const { return !user.empty() && user == viewer_.user; }

  PrivateData hidden_;
  Viewer viewer_;  // Empty while nothing is hidden.
};

}  // namespace priorityd::authorization

#endif  // PRIORITYD_SERVER_AUTHORIZATION_VISIBILITY_H_
