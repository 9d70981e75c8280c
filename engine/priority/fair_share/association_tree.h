// The association tree of one cluster, stored as columns for fast recalculation.
#ifndef PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_ASSOCIATION_TREE_H_
#define PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_ASSOCIATION_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/site/limit_kind.h"
#include "engine/priority/site/name_table.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// The limits that an association sets for itself and everything below it; unset = no limit.
// Named as in `sacctmgr show assoc`.
struct AssociationLimits {
  std::optional<uint32_t> max_jobs_accrue;  // Pending jobs that accrue age.
  std::optional<uint32_t> grp_jobs_accrue;  // The same, of the whole subtree.
  std::optional<uint32_t> max_submit_jobs;
  std::optional<absl::Duration> grp_wall;
  TresMap grp_tres_mins;           // TRES-minutes.
  std::vector<LimitValue> others;  // All other kinds; each kind and TRES once.

  friend bool operator==(const AssociationLimits&, const AssociationLimits&) = default;
};

// One association: (account) or (account, user, [partition]). Named as in `sacctmgr show assoc`.
struct Association {
  int64_t id = 0;         // Unique; siblings are ordered by id.
  int64_t parent_id = 0;  // 0 for root.
  std::string account;
  std::string user;                             // Empty = an account.
  std::string partition;                        // Empty = any.
  std::optional<uint32_t> raw_shares = 1;       // Unset = `parent`. Root's are not read.
  std::optional<uint32_t> priority;             // Unset = inherited.
  std::optional<std::string> default_qos;       // Unset = inherited.
  std::optional<std::vector<std::string>> qos;  // Unset = inherited; empty = all.
  AssociationLimits limits;
};

// Users that count as others: each merged user with the surviving one, which is not merged itself.
using UserMerges = absl::btree_map<std::string, std::string>;

// Index of an association in the columns of its tree. Root is 0; levels follow one another; the
// children of one association are contiguous and in id order.
using AssociationIndex = int32_t;
inline constexpr AssociationIndex kNoAssociation = -1;

// Consecutive associations, for range-for.
class AssociationRange {
 public:
  class Iterator {
   public:
    explicit Iterator(AssociationIndex i) : i_(i) {}
    AssociationIndex operator*() const { return i_; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    AssociationIndex i_;
  };

  AssociationRange(AssociationIndex begin, AssociationIndex end) : begin_(begin), end_(end) {}
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }
  int size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

 private:
  AssociationIndex begin_;
  AssociationIndex end_;
};

// The tree as columns: one vector per attribute, indexed by AssociationIndex. Names are interned;
// limits are stored only for the associations that set some. A roll-up is one backward pass,
// inheritance one forward pass; nothing recurses, so any depth is supported. Movable.
// Thread-compatible: all methods but SetRawShares are const.
class AssociationTree {
 public:
  // `associations` may be in any order. INVALID_ARGUMENT names the invalid association: no root
  // or several, an unknown or cyclic parent, a user with children, a duplicate id or (account,
  // user, partition), a user whose parent is not its account, an account with a partition or
  // without a name.
  static absl::StatusOr<AssociationTree> Build(std::vector<Association> associations);

  // A deep copy with the same indices, for calculations that change shares.
  AssociationTree Copy() const;

  // The tree of the other associations: merged users have none of their own. FindUser finds that of
  // the surviving user, and FindId finds for an association of a merged user that of the surviving
  // one in the same account and partition, without one that of no partition, without both the
  // account. REQUIRES: this tree has no merged users.
  AssociationTree WithMergedUsers(UserMerges merges) const;

  // Sets the raw shares of `i`; the tree is then as if built with them. REQUIRES: `i` is not
  // root, not parent_shares(i).
  void SetRawShares(AssociationIndex i, uint32_t raw_shares);

  int size() const { return static_cast<int>(parent_.size()); }
  int user_count() const { return users_below_.front(); }

  // --- Columns ---------------------------------------------------------------

  absl::Span<const int64_t> id() const { return id_; }
  // kNoAssociation for root.
  absl::Span<const AssociationIndex> parent() const { return parent_; }
  // The fair-share parent: the nearest ancestor whose shares are not `parent`.
  // kNoAssociation for root.
  absl::Span<const AssociationIndex> fair_share_parent() const { return fair_share_parent_; }
  // 0 where parent_shares() is true.
  absl::Span<const uint32_t> raw_shares() const { return raw_shares_; }
  // Sum of the raw shares of all fair-share siblings, itself included. 0 for root.
  absl::Span<const double> level_shares() const { return level_shares_; }
  // raw_shares / level_shares, 0 if the latter is 0. A `parent` association has the value of its
  // fair-share parent, root has 1. The norm shares of Fair Tree.
  absl::Span<const double> level_norm_shares() const { return level_norm_shares_; }
  // The product of level_norm_shares along the path from root: the norm shares of classic,
  // depth-oblivious and linear.
  absl::Span<const double> path_norm_shares() const { return path_norm_shares_; }
  // The association's priority, inherited where unset; 0 where none is set.
  absl::Span<const uint32_t> effective_priority() const { return effective_priority_; }
  // The number of user associations at or below each.
  absl::Span<const int32_t> users_below() const { return users_below_; }

  bool is_user(AssociationIndex i) const { return user_[i] != 0; }
  bool parent_shares(AssociationIndex i) const { return Has(i, kParentShares); }
  absl::string_view account(AssociationIndex i) const { return names_[account_[i]]; }
  absl::string_view user(AssociationIndex i) const { return names_[user_[i]]; }
  absl::string_view partition(AssociationIndex i) const { return names_[partition_[i]]; }
  // The distance from root, which has 0.
  int depth(AssociationIndex i) const { return depth_[i]; }
  int users_below(AssociationIndex i) const { return users_below_[i]; }

  // The direct children, in id order.
  AssociationRange children(AssociationIndex i) const {
    return AssociationRange(children_begin_[i], children_begin_[i + 1]);
  }
  // The associations that compete for i's share, in id order: those whose fair-share parent is i.
  // A `parent` account is replaced by its children; `parent` users are included.
  absl::Span<const AssociationIndex> fair_share_children(AssociationIndex i) const {
    const int32_t begin = fair_share_children_begin_[i];
    return absl::MakeConstSpan(fair_share_children_)
        .subspan(begin, fair_share_children_begin_[i + 1] - begin);
  }
  // The largest effective_priority of the tree.
  uint32_t max_priority() const { return max_priority_; }

  // --- For ranking and limits -----------------------------------------------------

  // Whether any association has limits.
  bool has_limits() const { return !limits_.empty(); }
  // The association's own limits, not those of its ancestors.
  const AssociationLimits& limits(AssociationIndex i) const;
  // The inherited default QOS; empty = none.
  absl::string_view default_qos(AssociationIndex i) const { return names_[default_qos_[i]]; }
  // The inherited QOS list; empty = all.
  absl::Span<const std::string> allowed_qos(AssociationIndex i) const {
    return qos_lists_[qos_list_[i]];
  }
  // The association as it was passed to Build.
  Association association(AssociationIndex i) const;

  // --- Look-ups ---------------------------------------------------------------

  // kNoAssociation if the account does not exist.
  AssociationIndex FindAccount(absl::string_view account) const;
  // The association (account, user, partition), else (account, user); kNoAssociation if neither
  // exists.
  AssociationIndex FindUser(absl::string_view account, absl::string_view user,
                            absl::string_view partition) const;
  AssociationIndex FindId(int64_t id) const;

  // --- Merged users -----------------------------------------------------------

  // An association of a merged user.
  struct MergedAssociation {
    int64_t id = 0;
    std::string user;
    AssociationIndex counts_as = kNoAssociation;  // Of the surviving user, or the account.

    friend bool operator==(const MergedAssociation&, const MergedAssociation&) = default;
  };

  const UserMerges& merges() const { return merges_; }
  // By ascending id.
  absl::Span<const MergedAssociation> merged_associations() const { return merged_; }
  // The surviving user of a merged one; otherwise `user` itself. Points into this or to `user`.
  absl::string_view SurvivorOf(absl::string_view user) const;
  // The merged users whose associations count as `i`, ascending, each once.
  std::vector<absl::string_view> MergedInto(AssociationIndex i) const;

  // Adds each association's value to all its ancestors, in place: `column[i]` becomes the sum
  // over i and everything below it. REQUIRES: column.size() == size().
  void RollUp(absl::Span<double> column) const;

  // Whether both were built from the same associations and merges.
  friend bool operator==(const AssociationTree& a, const AssociationTree& b);
  // Equal trees have equal hashes.
  size_t Hash() const;

 private:
  class Builder;

  // (account, user, partition).
  using Key = std::array<NameId, 3>;

  // The attributes that an association sets itself and does not inherit.
  enum Flag : uint8_t {
    kParentShares = 1,
    kOwnPriority = 2,
    kOwnDefaultQos = 4,
    kOwnQosList = 8,
  };

  AssociationTree() = default;
  // Fills level_shares_, level_norm_shares_ and path_norm_shares_.
  void NormShares();
  bool Has(AssociationIndex i, Flag flag) const { return (flags_[i] & flag) != 0; }
  Key KeyOf(AssociationIndex i) const { return {account_[i], user_[i], partition_[i]}; }
  AssociationIndex Find(const Key& key) const;
  // As FindUser, for a user who is not merged.
  AssociationIndex FindOwn(absl::string_view account, absl::string_view user,
                           absl::string_view partition) const;
  // The association as which the association `id` of a merged user counts; kNoAssociation = no
  // merged user has that one.
  AssociationIndex FindMerged(int64_t id) const;
  // The slot of index_ that holds the key, or the free slot for it.
  size_t SlotOf(const Key& key) const;

  // Columns; see the accessors.
  std::vector<int64_t> id_;
  std::vector<AssociationIndex> parent_;
  std::vector<AssociationIndex> fair_share_parent_;
  std::vector<uint32_t> raw_shares_;
  std::vector<double> level_shares_;
  std::vector<double> level_norm_shares_;
  std::vector<double> path_norm_shares_;
  std::vector<uint32_t> effective_priority_;
  std::vector<NameId> account_;
  std::vector<NameId> user_;
  std::vector<NameId> partition_;
  std::vector<NameId> default_qos_;
  std::vector<uint32_t> qos_list_;  // Index into qos_lists_.
  std::vector<int32_t> depth_;
  std::vector<int32_t> users_below_;
  std::vector<uint8_t> flags_;  // Bits of Flag.
  // Children of i: the indices [children_begin_[i], children_begin_[i + 1]).
  std::vector<AssociationIndex> children_begin_;
  // Fair-share children of i: the entries from fair_share_children_begin_[i] to before
  // fair_share_children_begin_[i + 1].
  std::vector<int32_t> fair_share_children_begin_;
  std::vector<AssociationIndex> fair_share_children_;

  uint32_t max_priority_ = 0;
  NameTable names_;
  std::vector<std::vector<std::string>> qos_lists_;  // Distinct; the first is empty.
  absl::flat_hash_map<AssociationIndex, AssociationLimits> limits_;  // Only where some are set.
  // An open-addressing hash table with linear probing; kNoAssociation = a free slot. Its size is
  // a power of 2 and leaves at least a quarter of the slots free.
  std::vector<AssociationIndex> index_;
  std::vector<AssociationIndex> by_id_;  // All associations, by ascending id.
  UserMerges merges_;
  std::vector<MergedAssociation> merged_;  // By ascending id.
  std::vector<int32_t> by_survivor_;       // Indices of merged_, by counts_as, then by user.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_FAIR_SHARE_ASSOCIATION_TREE_H_
