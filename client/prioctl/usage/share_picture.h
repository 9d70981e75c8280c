// The association tree as a picture: allocated shares beside usage.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PICTURE_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PICTURE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/pictures/svg.h"
#include "priority/v1/share.pb.h"

namespace priorityd::prioctl {

// An account, or a user in one, with the parts of the whole cluster that it is due and that it
// used.
struct SharePart {
  std::string account;
  std::string user;       // Empty for an account.
  std::string partition;  // Of a partition's own association.
  int depth = 0;          // Below the first.
  int parent = -1;        // The index of what stands above; -1 = it is the first.
  // 0 to 1, as AssociationTree::path_norm_shares and the view `allocation` have it: its part of the
  // shares of its level times that of the level above, which `parent` shares take as it is.
  double allocated = 0;
  // 0 to 1: the part of a picture, in which those below a part fill it. As `allocated`, but an
  // account with `parent` shares has the parts of those below it, a user with them none, and where
  // nobody has any, parts are equal.
  double width = 0;
  double used = 0;         // 0 to 1, with decay; 0 where nothing was used at all.
  double norm_shares = 0;  // NormShares and EffectvUsage as sshare prints them.
  double effective = 0;
  // LevelFS under Fair Tree, FairShare under other algorithms, as sshare prints it with its name:
  // `LevelFS 0.888889`. Empty where sshare prints none.
  std::string standing_text;
  // The service by that figure, as ServiceOf: LevelFS is 1 where usage is as the shares, FairShare
  // 1/2, as it is 2^-(usage / shares) there. 0 without a figure.
  double standing = 0;

  const std::string& name() const { return user.empty() ? account : user; }
};

// One side of a picture: the lengths of its parts, and the figures that they show.
struct ShareSide {
  double SharePart::*length;
  double SharePart::*figure;
};
inline constexpr ShareSide kAllocatedSide = {&SharePart::width, &SharePart::allocated};
inline constexpr ShareSide kUsedSide = {&SharePart::used, &SharePart::used};

// In the order of the answer, a parent before what stands below it. Those whose parent is not in
// the answer are left out, but for the first.
std::vector<SharePart> SharePartsOf(const ::priority::v1::ListSharesResponse& shares);

// From -1, has used far more than its part, to 1, far less; an eighth or eight times are as far as
// it goes.
double ServiceOf(const SharePart& part);

// The form in which the picture shows the tree.
enum class ShareForm {
  kIcicle,  // Two icicles: allocated and used.
  kPies,    // Two pies with a ring for each level: allocated and used.
  kTree,    // A box for each association, with the figures of the fair-share algorithm; lines show
            // the usage charged to the association above.
};

// The colour of a service, from -1 to 1, and that of text on it.
absl::string_view ColourOf(double service);
absl::string_view InkOf(double service);
// `, over-served`, `, under-served`, or nothing where it is as it should be.
absl::string_view ServedText(double service);
// The text of a part for the mouse pointer.
std::string AboutText(const SharePart& part);

// An icicle of each side, coloured by ServiceOf; what is too thin to be seen is left out. The parts
// have the same figures as PrintShareParts.
std::string SharePicture(const ::priority::v1::ListSharesResponse& shares,
                         const std::vector<SharePart>& parts, ShareForm form = ShareForm::kIcicle);

// `12.34%`.
std::string PercentText(double part);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_SHARE_PICTURE_H_
