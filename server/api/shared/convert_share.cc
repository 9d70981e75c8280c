#include "server/api/shared/convert_share.h"

#include <cmath>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void FillNames(const priority::AssociationTree& tree, priority::AssociationIndex i,
               v1::AssociationShare* proto) {
  proto->set_association_id(tree.id()[i]);
  proto->set_account(std::string(tree.account(i)));
  proto->set_user(std::string(tree.user(i)));
  proto->set_partition(std::string(tree.partition(i)));
  proto->set_depth(tree.depth(i));
  if (tree.parent()[i] != priority::kNoAssociation) {
    proto->set_parent_account(std::string(tree.account(tree.parent()[i])));
  }
  if (!tree.is_user(i)) return;
  for (const absl::string_view user : tree.MergedInto(i)) {
    proto->add_merged_users(std::string(user));
  }
}

void FillShares(const priority::Snapshot& snapshot, priority::AssociationIndex i,
                v1::AssociationShare* proto) {
  const priority::AssociationTree& tree = snapshot.tree();
  const bool fair_tree = snapshot.fair_share().algorithm == priority::FairShareAlgorithm::kFairTree;
  proto->set_parent_shares(tree.parent_shares(i));
  if (!tree.parent_shares(i)) proto->set_raw_shares(tree.raw_shares()[i]);
  proto->set_level_shares(tree.level_shares()[i]);
  proto->set_norm_shares(fair_tree ? tree.level_norm_shares()[i] : tree.path_norm_shares()[i]);
  const std::optional<uint32_t> priority = tree.association(i).priority;
  if (priority.has_value()) proto->set_priority(*priority);
}

void FillFairShare(const priority::Snapshot& snapshot, priority::AssociationIndex i,
                   v1::AssociationShare* proto) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::FairShare& shares = snapshot.fair_share();
  proto->set_raw_usage(shares.usage[i]);
  proto->set_reserved_usage(snapshot.reserve(i));
  proto->set_norm_usage(shares.norm_usage[i]);
  proto->set_effective_usage(shares.effective_usage[i]);
  if (shares.algorithm != priority::FairShareAlgorithm::kFairTree) {
    proto->set_fair_share(shares.fair_share[i]);
    return;
  }
  if (tree.is_user(i)) proto->set_fair_share(shares.fair_share[i]);
  if (i == 0 || (tree.parent_shares(i) && !tree.is_user(i))) return;
  if (std::isinf(shares.level_fs[i])) {
    proto->set_level_fs_infinite(true);
  } else {
    proto->set_level_fs(shares.level_fs[i]);
  }
}

void FillTresUsage(const priority::Snapshot& snapshot, priority::AssociationIndex i,
                   v1::AssociationShare* proto) {
  for (const auto& [name, column] : snapshot.tres_usage()) {
    const double seconds = column[i];
    if (seconds != 0) (*proto->mutable_tres_usage())[name] = seconds;
  }
  if (!snapshot.wall_seconds().empty()) {
    ToProto(absl::Seconds(snapshot.wall_seconds()[i]), proto->mutable_wall_usage());
  }
  for (const auto& [name, minutes] : snapshot.tree().limits(i).grp_tres_mins) {
    (*proto->mutable_grp_tres_mins())[name] = minutes;
  }
}

}  // namespace

void ToProto(const priority::Snapshot& snapshot, priority::AssociationIndex i,
             const explanation::SiblingRank& rank, v1::AssociationShare* proto) {
  FillNames(snapshot.tree(), i, proto);
  FillShares(snapshot, i, proto);
  FillFairShare(snapshot, i, proto);
  proto->set_sibling_rank(rank.rank);
  proto->set_sibling_count(rank.count);
  FillTresUsage(snapshot, i, proto);
}

}  // namespace priorityd::rpc
