// The grants of a cluster as they are stored, in the engine's terms.
#ifndef PRIORITYD_SERVER_GRANTS_GRANT_BOOK_H_
#define PRIORITYD_SERVER_GRANTS_GRANT_BOOK_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/consequence.h"
#include "engine/grants/grant.h"
#include "engine/priority/site/grant_standing.h"
#include "storage/database/transaction.h"
#include "storage/grants/grant_store.h"

namespace priorityd::grants {

// The accounts, the user and the TRES whose usage a grant counts.
struct Owner {
  std::vector<std::string> accounts;  // Ascending; without a user each with everything below it.
  std::string user;                   // Only this user, in exactly this account; empty = all.
  std::string tres;

  friend auto operator<=>(const Owner&, const Owner&) = default;
};

struct StoredGrant {
  storage::Grant row;
  std::vector<storage::GrantVersion> versions;  // Oldest first.
  Grant grant;                                  // Ends when it was revoked.
  priority::GrantConsequence consequence = priority::GrantConsequence::kNone;
  priority::GrantMeasure measure;
};

// All grants of one owner and TRES.
struct Stack {
  Owner owner;
  std::vector<Grant> grants;
  std::vector<size_t> places;  // Of each of them in GrantBook::grants.
};

struct GrantBook {
  std::vector<StoredGrant> grants;  // In the order of creation.
  std::vector<Stack> stacks;        // By owner.
  // The places of the stacks whose owners have an account, by its name.
  absl::flat_hash_map<std::string, std::vector<int>> stacks_of_account;
};

// The words of the tables.
inline constexpr const char* kWindowWords[] = {"fixed", "month", "quarter", "year", "rolling"};
inline constexpr const char* kConsequenceWords[] = {"none", "demote", "block",  "reduce",
                                                    "band", "cap",    "refuse", "warn"};

// The consequence with its measure in a row of a table. INTERNAL names the row, such as
// `usage_grant q1`, and what cannot be read of it.
absl::StatusOr<Consequence> ReadStoredConsequence(absl::string_view row, const std::string& word,
                                                  const std::string& demoted_qos,
                                                  const std::string& value);

// Sets the stacks, and stacks_of_account, by the grants.
void MakeStacks(GrantBook* book);

// The grants that are wanted, and all others of their owners and TRES, in the same order.
GrantBook Select(GrantBook book, absl::FunctionRef<bool(const StoredGrant&)> is_wanted);

// INTERNAL if a stored grant cannot be read. REQUIRES: in Database::Read, or the cluster is locked
// by ClusterStore::Lock.
absl::StatusOr<GrantBook> ReadGrantBook(storage::Transaction& transaction, int32_t cluster_id);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_GRANT_BOOK_H_
