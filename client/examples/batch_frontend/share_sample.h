// The users' shares of the cluster's usage at one time, against their entitlements.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SHARE_SAMPLE_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SHARE_SAMPLE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "priority/v1/share.pb.h"

namespace priorityd::batch_frontend {

struct UserShare {
  double usage = 0;        // Decayed, in billing-seconds; of all the user's associations.
  double entitlement = 0;  // Part of the cluster by shares, 0 to 1; all users together 1.
  // The time since which the user always had a pending job; unset = has none.
  std::optional<absl::Time> waiting_since;
};

struct ShareSample {
  absl::Time time;
  std::map<std::string, UserShare> users;
};

// Without waiting_since. An entitlement is the product of raw shares by level shares from
// the user up to root; users and accounts with parent shares count 0.
ShareSample ToSample(absl::Time time, const priority::v1::ListSharesResponse& shares);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SHARE_SAMPLE_H_
