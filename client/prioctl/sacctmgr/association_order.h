// The order in which sacctmgr shows associations.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ASSOCIATION_ORDER_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ASSOCIATION_ORDER_H_

#include <vector>

#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

// An association in its place.
struct Placed {
  const ::priority::v1::Association* association = nullptr;
  int depth = 0;          // Of root 0; of a user one more than of the user's account.
  int64_t parent_id = 0;  // Of the association above it; 0 = not among them.
};

// A parent before what stands below it; of siblings users first, then accounts, each by name. What
// has no parent among them stands as root does. The messages must outlive the answer.
std::vector<Placed> InTreeOrder(
    const google::protobuf::RepeatedPtrField<::priority::v1::Association>& associations);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ASSOCIATION_ORDER_H_
