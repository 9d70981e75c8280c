// The association tree as a pie with a ring for each level.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PIE_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PIE_H_

#include <vector>

#include "client/pictures/svg.h"
#include "client/prioctl/usage/share_picture.h"

namespace priorityd::prioctl {

// Draws `side` of the parts into the box: the first part in the middle, what
// is below it in rings around it, each within the angle of its parent. Parts too small to be seen
// are left out.
void DrawSharePie(const std::vector<SharePart>& parts, const ShareSide& side,
                  const pictures::SvgBox& box, pictures::Svg* svg);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PIE_H_
