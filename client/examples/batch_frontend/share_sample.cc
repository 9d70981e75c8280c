#include "client/examples/batch_frontend/share_sample.h"

namespace priorityd::batch_frontend {
namespace {

double ShareOfLevel(const priority::v1::AssociationShare& share) {
  if (share.parent_account().empty()) return 1;
  return share.level_shares() > 0 ? share.raw_shares() / share.level_shares() : 0;
}

}  // namespace

ShareSample ToSample(absl::Time time, const priority::v1::ListSharesResponse& shares) {
  ShareSample sample{.time = time};
  // Accounts precede their children.
  std::map<std::string, double> entitlement_of_account;
  for (const priority::v1::AssociationShare& share : shares.shares()) {
    const double above =
        share.parent_account().empty() ? 1 : entitlement_of_account[share.parent_account()];
    const double entitlement = above * ShareOfLevel(share);
    if (share.user().empty()) {
      entitlement_of_account[share.account()] = entitlement;
      continue;
    }
    UserShare& user = sample.users[share.user()];
    user.usage += share.raw_usage();
    user.entitlement += entitlement;
  }
  return sample;
}

}  // namespace priorityd::batch_frontend
