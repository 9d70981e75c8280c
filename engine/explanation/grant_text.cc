#include "engine/explanation/grant_text.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/explanation/time_text.h"

namespace priorityd::explanation {

std::string GrantName(const priority::AssociationTree& tree, const priority::GrantStanding& grant,
                      priority::AssociationIndex association) {
  priority::AssociationIndex at = association;
  while (!absl::c_linear_search(grant.accounts, tree.account(at))) at = tree.parent()[at];
  const size_t more = grant.accounts.size() - 1;
  return absl::StrCat("grant ", grant.name, " of ",
                      grant.user.empty() ? "" : absl::StrCat("user ", grant.user, " in "),
                      "account ", tree.account(at),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

std::string UntilText(const priority::Snapshot& snapshot, const priority::GrantStanding& grant) {
  if (grant.until == absl::InfiniteFuture()) return "";
  return absl::StrCat(" until ", MomentText(grant.until, snapshot.policy().time_zone));
}

std::string DemotionText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                         int qos) {
  const int counted = snapshot.FactorQos(association, qos);
  if (counted == qos) return "";
  const priority::GrantStanding& grant = *snapshot.DemotingGrant(association);
  return absl::StrCat("QOS ", grant.demoted_qos, counted < 0 ? ", which does not exist," : "",
                      " instead of ", snapshot.qos()[qos].name, ": ",
                      GrantName(snapshot.tree(), grant, association), " is used up",
                      UntilText(snapshot, grant));
}

}  // namespace priorityd::explanation
