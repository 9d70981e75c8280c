// The association tree of one cluster, in the layout that recalculation wants.
#ifndef PRIORITYD_SERVER_PRIORITY_ASSOCIATION_TREE_H_
#define PRIORITYD_SERVER_PRIORITY_ASSOCIATION_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/tres.h"

namespace priorityd {

// An association as an operator knows it: (account) or (account, user,
// [partition]), by the names of `sacctmgr show assoc`.
struct Association {
  int64_t id = 0;         // Unique; siblings are held in the order of their ids.
  int64_t parent_id = 0;  // 0 for root.
  std::string account;
  std::string user;                             // Empty = an account.
  std::string partition;                        // Empty = any.
  std::optional<uint32_t> raw_shares = 1;       // Unset = `parent`.
  std::optional<uint32_t> priority;             // Unset = inherited.
  std::optional<std::string> default_qos;       // Unset = inherited.
  std::optional<std::vector<std::string>> qos;  // Unset = inherited; empty = all.
  std::optional<uint32_t> max_jobs_accrue;      // Pending jobs that accrue age.
  std::optional<uint32_t> grp_jobs_accrue;      // The same, with everything below.
  std::optional<uint32_t> max_submit_jobs;
  std::optional<absl::Duration> grp_wall;
  TresMap grp_tres_mins;  // TRES-minutes.
};

// Index of an association in the columns of its tree. Parents come before their
// children; root is 0.
using AssociationIndex = int32_t;
inline constexpr AssociationIndex kNoAssociation = -1;

// An immutable tree held as columns (one vector per attribute, indexed by
// AssociationIndex), names interned. A roll-up is one backward pass, an
// inheritance one forward pass. Thread-compatible: all const.
class AssociationTree {
 public:
  // Index of an interned name; 0 is the empty name.
  using NameId = uint32_t;

  // `associations` in any order. INVALID_ARGUMENT names the association at
  // fault: no root or several, an unknown or cyclic parent, a user with
  // children, two of one (account, user, partition), a user outside its account.
  static absl::StatusOr<AssociationTree> Build(std::vector<Association> associations);

  int size() const { return static_cast<int>(parent_.size()); }
  int user_count() const { return user_count_; }

  // --- Columns ---------------------------------------------------------------

  absl::Span<const int64_t> id() const { return id_; }
  absl::Span<const AssociationIndex> parent() const { return parent_; }
  // The fair-share parent: the nearest ancestor whose shares are not `parent`.
  absl::Span<const AssociationIndex> fair_share_parent() const { return fair_share_parent_; }
  // 0 where parent_shares() says so.
  absl::Span<const uint32_t> raw_shares() const { return raw_shares_; }
  // Sum of the raw shares of all fair-share siblings, itself included.
  absl::Span<const double> level_shares() const { return level_shares_; }
  // raw / level_shares, 0 if that is 0; a `parent` node its fair-share
  // parent's; root 1. The norm shares of Fair Tree.
  absl::Span<const double> level_norm_shares() const { return level_norm_shares_; }
  // The product of the above down from root: the norm shares of classic,
  // depth-oblivious and linear.
  absl::Span<const double> path_norm_shares() const { return path_norm_shares_; }
  // The association's priority, inherited where unset; 0 where nobody has one.
  absl::Span<const uint32_t> effective_priority() const { return effective_priority_; }

  bool is_user(AssociationIndex i) const { return user_[i] != 0; }
  bool parent_shares(AssociationIndex i) const { return parent_shares_[i]; }
  absl::string_view account(AssociationIndex i) const { return names_[account_[i]]; }
  absl::string_view user(AssociationIndex i) const { return names_[user_[i]]; }
  absl::string_view partition(AssociationIndex i) const { return names_[partition_[i]]; }
  int depth(AssociationIndex i) const { return depth_[i]; }

  // The direct children, in id order.
  absl::Span<const AssociationIndex> children(AssociationIndex i) const;
  // The associations that compete for i's share, in id order: those whose
  // fair-share parent is i, `parent` accounts left out (their children stand
  // here instead), `parent` users in.
  absl::Span<const AssociationIndex> fair_share_children(AssociationIndex i) const;
  // User associations at or below i.
  int users_below(AssociationIndex i) const { return users_below_[i]; }
  // The largest effective_priority of the tree.
  uint32_t max_priority() const { return max_priority_; }

  // --- Attributes that few associations have ------------------------------------

  // The association as it was given; limits and QOS lists are its own, not
  // inherited.
  const Association& association(AssociationIndex i) const { return associations_[i]; }
  // The inherited default QOS; empty = none.
  absl::string_view default_qos(AssociationIndex i) const;
  // The inherited QOS list; empty = all.
  absl::Span<const std::string> allowed_qos(AssociationIndex i) const;

  // --- Look-ups ---------------------------------------------------------------

  // kNoAssociation if there is none.
  AssociationIndex FindAccount(absl::string_view account) const;
  // (account, user, partition), else (account, user); kNoAssociation if neither.
  AssociationIndex FindUser(absl::string_view account, absl::string_view user,
                            absl::string_view partition) const;
  AssociationIndex FindId(int64_t id) const;

  // Adds each association's own value to all its ancestors, in place:
  // `column[i]` becomes the sum over i and everything below it. REQUIRES:
  // column.size() == size().
  void RollUp(absl::Span<double> column) const;

 private:
  AssociationTree() = default;
  // Columns; see the accessors.
  std::vector<Association> associations_;
  std::vector<int64_t> id_;
  std::vector<AssociationIndex> parent_;
  std::vector<AssociationIndex> fair_share_parent_;
  std::vector<uint32_t> raw_shares_;
  std::vector<bool> parent_shares_;
  std::vector<double> level_shares_;
  std::vector<double> level_norm_shares_;
  std::vector<double> path_norm_shares_;
  std::vector<uint32_t> effective_priority_;
  std::vector<NameId> account_;
  std::vector<NameId> user_;
  std::vector<NameId> partition_;
  std::vector<int32_t> depth_;
  std::vector<int32_t> users_below_;
  int user_count_ = 0;
  uint32_t max_priority_ = 0;
  std::vector<std::string> names_;
};

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_PRIORITY_ASSOCIATION_TREE_H_
