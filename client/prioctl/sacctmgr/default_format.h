// The columns that sacctmgr shows where no format= says which.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DEFAULT_FORMAT_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DEFAULT_FORMAT_H_

#include <string>

#include "client/prioctl/sacctmgr/selection.h"

namespace priorityd::sacctmgr {

// As format= takes it; by the entity and the words withassoc, withcoord and tree.
std::string DefaultFormat(Entity entity, const Selection& selection);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_DEFAULT_FORMAT_H_
