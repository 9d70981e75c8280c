// Merges of a usage domain in its members.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_DOMAIN_MERGES_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_DOMAIN_MERGES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/transaction.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::administration {

// The check and the clock of each member, by its name, for a change in the members of a usage
// domain.
struct MemberCalls {
  // Whether the caller has the right there.
  std::function<absl::Status(const std::string&)> check;
  // The time by its clock.
  std::function<absl::Time(const std::string&)> time;
};

using Members = std::vector<storage::DomainMember>;

// The members of the domain, by ID. Errors of calls.check.
absl::StatusOr<Members> FindMembers(storage::Transaction& transaction, int32_t domain_id,
                                    const MemberCalls& calls);

// These are of the domain, and for locked members; errors name the member.

// Adds the merge, with the warnings of MergeUsers. `time`: by the member's clock.
absl::Status MergeInMember(storage::Transaction& transaction, const storage::DomainMember& member,
                           const storage::UserMerge& merge, absl::Time time, ChangeList* list);
// Ends it; warns if the member merges the user itself.
absl::Status UnmergeInMember(storage::Transaction& transaction, const storage::DomainMember& member,
                             const std::string& from_user, ChangeList* list);
// Adds all that the domain has for members. `joins`: it was no member; what it had for members of
// its own, as a domain, is its own then. Errors of AddMerges.
absl::Status TakeOverMerges(storage::Transaction& transaction, const storage::DomainMember& member,
                            bool joins, ChangeList* list);
// Ends all of them.
absl::Status EndTakenMerges(storage::Transaction& transaction, const storage::DomainMember& member,
                            ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_DOMAIN_MERGES_H_
