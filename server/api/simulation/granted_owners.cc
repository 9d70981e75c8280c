#include "server/api/simulation/granted_owners.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/grant_standing.h"
#include "server/api/grants/grant_effects.h"
#include "server/grants/grant_book.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kMostUsers = 20;

void AddUsers(const priority::AssociationTree& tree, const std::vector<PendingJobs>& jobs,
              v1::GrantEffect* effect) {
  for (const PendingJobs& pending : jobs) {
    if (static_cast<size_t>(effect->users_size()) == kMostUsers) return;
    v1::GrantedUser* user = effect->add_users();
    user->set_account(std::string(tree.account(pending.association)));
    user->set_user(std::string(tree.user(pending.association)));
    user->set_pending_jobs(static_cast<int64_t>(pending.jobs));
  }
}

void SetEffect(const priority::AssociationTree& tree, const priority::GrantStanding& grant,
               GrantImpacts* impacts, v1::GrantEffect* effect) {
  effect->set_grant(grant.name);
  effect->set_available_minutes(grant.available / 60);
  effect->set_used_minutes(grant.used / 60);
  effect->set_used_up(priority::IsUsedUp(grant));
  GrantImpact impact = impacts->Of(grant);
  effect->set_text(std::move(impact.text));
  AddUsers(tree, impact.pending, effect);
}

// Whether it has a consequence and is the owner's.
bool IsOwnedBy(const grants::Owner& owner, const priority::GrantStanding& grant) {
  return grant.consequence != priority::GrantConsequence::kNone && grant.domain.empty() &&
         grant.accounts == owner.accounts && grant.user == owner.user && grant.tres == owner.tres;
}

}  // namespace

void AddGrantEffects(const queue::QueueState& queue,
                     absl::Span<const simulation::SupposedOwner> owners,
                     google::protobuf::RepeatedPtrField<v1::SupposedGrantEffect>* effects) {
  const priority::AssociationTree& tree = queue.snapshot().tree();
  GrantImpacts impacts(queue);
  for (const simulation::SupposedOwner& supposed : owners) {
    v1::SupposedGrantEffect* effect = effects->Add();
    for (const std::string& account : supposed.owner.accounts) effect->add_accounts(account);
    effect->set_user(supposed.owner.user);
    effect->set_tres(supposed.owner.tres);
    effect->set_unknown(!supposed.is_known);
    for (const priority::GrantStanding& grant : queue.snapshot().grants()) {
      if (!IsOwnedBy(supposed.owner, grant)) continue;
      SetEffect(tree, grant, &impacts, effect->mutable_before());
    }
    if (!supposed.standing.has_value()) continue;
    SetEffect(tree, *supposed.standing, &impacts, effect->mutable_after());
  }
}

}  // namespace priorityd::rpc
