// The association tree as boxes, with the usage that each charges to the one above.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_TREE_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_TREE_H_

#include <vector>

#include "client/pictures/svg.h"
#include "client/prioctl/usage/share_picture.h"

namespace priorityd::prioctl {

// The width in pixels that the tree needs.
double ShareTreeWidth(const std::vector<SharePart>& parts);

// Draws the parts into the box, the first at the top: the name, NormShares, EffectvUsage, and
// LevelFS or FairShare, as sshare prints them; coloured by the last. The line to the box above is
// as thick as the usage that is charged to it. Levels below the last one with at most 40 boxes at
// its ends are left out; a line of text says so.
void DrawShareTree(const std::vector<SharePart>& parts, const pictures::SvgBox& box,
                   pictures::Svg* svg);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_TREE_H_
