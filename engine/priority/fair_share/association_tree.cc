#include "engine/priority/fair_share/association_tree.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/hash/hash.h"
#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

// `account`, `account/user` or `account/user/partition`.
std::string Describe(const Association& a) {
  return absl::StrCat("association ", a.id, " (", a.account, a.user.empty() ? "" : "/", a.user,
                      a.partition.empty() ? "" : "/", a.partition, ")");
}

absl::Status Fault(const Association& a, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(Describe(a), ": ", what));
}

absl::Status CheckNames(const Association& a) {
  if (a.account.empty()) return Fault(a, "account: got ``, want a name");
  if (a.user.empty() && !a.partition.empty()) {
    return Fault(a, "partition: only users can have one");
  }
  return absl::OkStatus();
}

absl::Status CheckUnder(const Association& parent, const Association& a) {
  if (!parent.user.empty())
    return Fault(a, absl::StrCat("parent: ", Describe(parent), " is a user"));
  if (!a.user.empty() && a.account != parent.account) {
    return Fault(a, absl::StrCat("parent: got account ", parent.account, ", want ", a.account));
  }
  return absl::OkStatus();
}

// The number of slots of an index in which at least a quarter is free.
size_t SlotsFor(size_t associations) { return absl::bit_ceil(associations + associations / 3 + 1); }

}  // namespace

// Splits the associations into columns. The input is first sorted by id and addressed by
// position; `order_` then maps each index to its position.
class AssociationTree::Builder {
 public:
  explicit Builder(std::vector<Association> associations) : given_(std::move(associations)) {}

  absl::StatusOr<AssociationTree> Build() {
    if (absl::Status status = SortById(); !status.ok()) return status;
    if (absl::Status status = FindParents(); !status.ok()) return status;
    if (absl::Status status = Order(); !status.ok()) return status;
    if (absl::Status status = MoveColumns(); !status.ok()) return status;
    IndexIds();
    InheritColumns();
    CountUsers();
    LinkFairShareChildren();
    tree_.NormShares();
    tree_.names_.ShrinkToFit();
    return std::move(tree_);
  }

 private:
  absl::Status SortById() {
    const auto by_id = [](const Association& a, const Association& b) { return a.id < b.id; };
    if (!std::is_sorted(given_.begin(), given_.end(), by_id)) {
      std::sort(given_.begin(), given_.end(), by_id);
    }
    for (size_t i = 1; i < given_.size(); ++i) {
      if (given_[i].id == given_[i - 1].id) {
        return Fault(given_[i], absl::StrCat("id: also that of ", Describe(given_[i - 1])));
      }
    }
    return absl::OkStatus();
  }

  std::optional<int32_t> PositionOf(int64_t id) const {
    const auto found = std::lower_bound(given_.begin(), given_.end(), id,
                                        [](const Association& a, int64_t i) { return a.id < i; });
    if (found == given_.end() || found->id != id) return std::nullopt;
    return static_cast<int32_t>(found - given_.begin());
  }

  absl::Status FindParents() {
    parent_position_.assign(given_.size(), kNoAssociation);
    for (size_t i = 0; i < given_.size(); ++i) {
      const Association& a = given_[i];
      if (absl::Status status = CheckNames(a); !status.ok()) return status;
      if (a.parent_id == 0) {
        if (root_ != kNoAssociation) {
          return Fault(a, absl::StrCat("a second root, beside ", Describe(given_[root_])));
        }
        if (!a.user.empty()) return Fault(a, "a user cannot be the root");
        root_ = static_cast<int32_t>(i);
        continue;
      }
      const std::optional<int32_t> parent = PositionOf(a.parent_id);
      if (!parent) return Fault(a, absl::StrCat("parent: got unknown id ", a.parent_id));
      if (absl::Status status = CheckUnder(given_[*parent], a); !status.ok()) return status;
      parent_position_[i] = *parent;
    }
    if (root_ == kNoAssociation) return absl::InvalidArgumentError("associations: no root");
    return absl::OkStatus();
  }

  // Breadth first, siblings by id.
  absl::Status Order() {
    const size_t n = given_.size();
    std::vector<int32_t> begin(n + 1, 0);
    for (const int32_t parent : parent_position_) {
      if (parent != kNoAssociation) ++begin[parent + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int32_t> children(n);
    std::vector<int32_t> next = begin;
    for (size_t i = 0; i < n; ++i) {
      const int32_t parent = parent_position_[i];
      if (parent != kNoAssociation) children[next[parent]++] = static_cast<int32_t>(i);
    }
    order_.reserve(n);
    order_.push_back(root_);
    tree_.parent_.reserve(n);
    tree_.parent_.push_back(kNoAssociation);
    tree_.children_begin_.reserve(n + 1);
    for (size_t i = 0; i < order_.size(); ++i) {
      const int32_t position = order_[i];
      tree_.children_begin_.push_back(static_cast<int32_t>(order_.size()));
      order_.insert(order_.end(), children.begin() + begin[position],
                    children.begin() + begin[position + 1]);
      tree_.parent_.resize(order_.size(), static_cast<AssociationIndex>(i));
    }
    tree_.children_begin_.push_back(static_cast<int32_t>(order_.size()));
    return order_.size() == n ? absl::OkStatus() : CycleFault();
  }

  absl::Status CycleFault() const {
    std::vector<bool> reached(given_.size());
    for (const int32_t position : order_) reached[position] = true;
    const auto lost = std::find(reached.begin(), reached.end(), false);
    return Fault(given_[lost - reached.begin()], "parent: not below root but below itself");
  }

  absl::Status MoveColumns() {
    const size_t n = order_.size();
    for (auto* column : {&tree_.account_, &tree_.user_, &tree_.partition_, &tree_.default_qos_,
                         &tree_.qos_list_, &tree_.raw_shares_, &tree_.effective_priority_}) {
      column->resize(n);
    }
    tree_.id_.resize(n);
    tree_.flags_.resize(n);
    tree_.qos_lists_.emplace_back();
    tree_.index_.assign(SlotsFor(n), kNoAssociation);
    for (size_t i = 0; i < n; ++i) {
      const AssociationIndex index = static_cast<AssociationIndex>(i);
      Association& a = given_[order_[i]];
      if (!Name(index, a)) {
        return Fault(a, "another association has the same account, user and partition");
      }
      MoveAttributes(index, a);
    }
    return absl::OkStatus();
  }

  // False if the name is taken.
  bool Name(AssociationIndex i, const Association& a) {
    const Key key = {tree_.names_.Intern(a.account), tree_.names_.Intern(a.user),
                     tree_.names_.Intern(a.partition)};
    tree_.id_[i] = a.id;
    tree_.account_[i] = key[0];
    tree_.user_[i] = key[1];
    tree_.partition_[i] = key[2];
    AssociationIndex& slot = tree_.index_[tree_.SlotOf(key)];
    if (slot != kNoAssociation) return false;
    slot = i;
    return true;
  }

  void MoveAttributes(AssociationIndex i, Association& a) {
    uint8_t flags = 0;
    if (i == 0) a.raw_shares = 1;
    if (!a.raw_shares) flags |= kParentShares;
    tree_.raw_shares_[i] = a.raw_shares.value_or(0);
    if (a.priority) {
      flags |= kOwnPriority;
      tree_.effective_priority_[i] = *a.priority;
    }
    if (a.default_qos) {
      flags |= kOwnDefaultQos;
      tree_.default_qos_[i] = tree_.names_.Intern(*a.default_qos);
    }
    if (a.qos) {
      flags |= kOwnQosList;
      tree_.qos_list_[i] = InternQosList(*std::move(a.qos));
    }
    tree_.flags_[i] = flags;
    if (!(a.limits == AssociationLimits())) tree_.limits_.emplace(i, std::move(a.limits));
  }

  uint32_t InternQosList(std::vector<std::string> list) {
    if (list.empty()) return 0;
    const uint32_t next = static_cast<uint32_t>(tree_.qos_lists_.size());
    const auto [it, is_new] = qos_list_ids_.emplace(list, next);
    if (is_new) tree_.qos_lists_.push_back(std::move(list));
    return it->second;
  }

  void IndexIds() {
    tree_.by_id_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      tree_.by_id_[order_[i]] = static_cast<AssociationIndex>(i);
    }
  }

  void InheritColumns() {
    const int n = tree_.size();
    tree_.depth_.assign(n, 0);
    tree_.fair_share_parent_.assign(n, kNoAssociation);
    for (AssociationIndex i = 1; i < n; ++i) {
      const AssociationIndex parent = tree_.parent_[i];
      tree_.depth_[i] = tree_.depth_[parent] + 1;
      tree_.fair_share_parent_[i] =
          tree_.parent_shares(parent) ? tree_.fair_share_parent_[parent] : parent;
      if (!tree_.Has(i, kOwnPriority)) {
        tree_.effective_priority_[i] = tree_.effective_priority_[parent];
      }
      if (!tree_.Has(i, kOwnDefaultQos)) tree_.default_qos_[i] = tree_.default_qos_[parent];
      if (!tree_.Has(i, kOwnQosList)) tree_.qos_list_[i] = tree_.qos_list_[parent];
    }
    tree_.max_priority_ =
        *std::max_element(tree_.effective_priority_.begin(), tree_.effective_priority_.end());
  }

  void CountUsers() {
    tree_.users_below_.assign(tree_.size(), 0);
    for (AssociationIndex i = tree_.size() - 1; i > 0; --i) {
      if (tree_.is_user(i)) tree_.users_below_[i] = 1;
      tree_.users_below_[tree_.parent_[i]] += tree_.users_below_[i];
    }
  }

  bool IsFairShareChild(AssociationIndex i) const {
    return i != 0 && (tree_.is_user(i) || !tree_.parent_shares(i));
  }

  void LinkFairShareChildren() {
    const int n = tree_.size();
    std::vector<int32_t>& begin = tree_.fair_share_children_begin_;
    begin.assign(n + 1, 0);
    for (AssociationIndex i = 1; i < n; ++i) {
      if (IsFairShareChild(i)) ++begin[tree_.fair_share_parent_[i] + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    tree_.fair_share_children_.resize(begin.back());
    std::vector<int32_t> next = begin;
    for (AssociationIndex i = 1; i < n; ++i) {
      if (IsFairShareChild(i)) {
        tree_.fair_share_children_[next[tree_.fair_share_parent_[i]]++] = i;
      }
    }
    const auto by_id = [this](AssociationIndex a, AssociationIndex b) {
      return tree_.id_[a] < tree_.id_[b];
    };
    // Children of `parent` accounts were appended after the siblings of their parents.
    for (AssociationIndex i = 0; i < n; ++i) {
      const auto first = tree_.fair_share_children_.begin() + begin[i];
      const auto last = tree_.fair_share_children_.begin() + begin[i + 1];
      if (!std::is_sorted(first, last, by_id)) std::sort(first, last, by_id);
    }
  }

  AssociationTree tree_;
  std::vector<Association> given_;
  std::vector<int32_t> parent_position_;
  int32_t root_ = kNoAssociation;
  std::vector<int32_t> order_;
  absl::btree_map<std::vector<std::string>, uint32_t> qos_list_ids_;
};

absl::StatusOr<AssociationTree> AssociationTree::Build(std::vector<Association> associations) {
  return Builder(std::move(associations)).Build();
}

AssociationTree AssociationTree::Copy() const {
  std::vector<Association> associations;
  associations.reserve(size());
  for (const AssociationIndex i : by_id_) associations.push_back(association(i));
  AssociationTree copy = *Build(std::move(associations));
  copy.merges_ = merges_;
  copy.merged_ = merged_;
  copy.by_survivor_ = by_survivor_;
  return copy;
}

void AssociationTree::SetRawShares(AssociationIndex i, uint32_t raw_shares) {
  raw_shares_[i] = raw_shares;
  NormShares();
}

void AssociationTree::NormShares() {
  const int n = size();
  level_shares_.assign(n, 0);
  level_norm_shares_.assign(n, 1);
  path_norm_shares_.assign(n, 1);
  std::vector<double> shares_below(n, 0);
  for (AssociationIndex i = 1; i < n; ++i) shares_below[fair_share_parent_[i]] += raw_shares_[i];
  for (AssociationIndex i = 1; i < n; ++i) {
    const AssociationIndex parent = fair_share_parent_[i];
    const double level = shares_below[parent];
    level_shares_[i] = level;
    if (parent_shares(i)) {
      level_norm_shares_[i] = level_norm_shares_[parent];
      path_norm_shares_[i] = path_norm_shares_[parent];
    } else {
      level_norm_shares_[i] = level == 0 ? 0 : raw_shares_[i] / level;
      path_norm_shares_[i] = level_norm_shares_[i] * path_norm_shares_[parent];
    }
  }
}

const AssociationLimits& AssociationTree::limits(AssociationIndex i) const {
  static const AssociationLimits* const kNone = new AssociationLimits();
  const auto found = limits_.find(i);
  return found == limits_.end() ? *kNone : found->second;
}

Association AssociationTree::association(AssociationIndex i) const {
  Association a;
  a.id = id_[i];
  if (i != 0) a.parent_id = id_[parent_[i]];
  a.account = std::string(account(i));
  a.user = std::string(user(i));
  a.partition = std::string(partition(i));
  a.raw_shares = parent_shares(i) ? std::nullopt : std::optional<uint32_t>(raw_shares_[i]);
  if (Has(i, kOwnPriority)) a.priority = effective_priority_[i];
  if (Has(i, kOwnDefaultQos)) a.default_qos = std::string(default_qos(i));
  if (Has(i, kOwnQosList)) a.qos = qos_lists_[qos_list_[i]];
  a.limits = limits(i);
  return a;
}

AssociationIndex AssociationTree::Find(const Key& key) const { return index_[SlotOf(key)]; }

size_t AssociationTree::SlotOf(const Key& key) const {
  size_t slot = absl::HashOf(key) & (index_.size() - 1);
  while (index_[slot] != kNoAssociation && KeyOf(index_[slot]) != key) {
    slot = (slot + 1) & (index_.size() - 1);
  }
  return slot;
}

// Equality of these columns implies equality of the others.
bool operator==(const AssociationTree& a, const AssociationTree& b) {
  return a.id_ == b.id_ && a.parent_ == b.parent_ && a.raw_shares_ == b.raw_shares_ &&
         a.flags_ == b.flags_ && a.effective_priority_ == b.effective_priority_ &&
         a.account_ == b.account_ && a.user_ == b.user_ && a.partition_ == b.partition_ &&
         a.default_qos_ == b.default_qos_ && a.qos_list_ == b.qos_list_ && a.names_ == b.names_ &&
         a.qos_lists_ == b.qos_lists_ && a.limits_ == b.limits_ && a.merges_ == b.merges_ &&
         a.merged_ == b.merged_;
}

size_t AssociationTree::Hash() const {
  return absl::HashOf(id_, parent_, raw_shares_, flags_, names_.Hash());
}

AssociationIndex AssociationTree::FindAccount(absl::string_view account) const {
  const std::optional<NameId> name = names_.Find(account);
  return name ? Find({*name, 0, 0}) : kNoAssociation;
}

AssociationIndex AssociationTree::FindOwn(absl::string_view account, absl::string_view user,
                                          absl::string_view partition) const {
  const std::optional<NameId> account_name = names_.Find(account);
  const std::optional<NameId> user_name = names_.Find(user);
  if (!account_name || !user_name || *user_name == 0) return kNoAssociation;
  if (!partition.empty()) {
    if (const std::optional<NameId> partition_name = names_.Find(partition)) {
      const AssociationIndex found = Find({*account_name, *user_name, *partition_name});
      if (found != kNoAssociation) return found;
    }
  }
  return Find({*account_name, *user_name, 0});
}

AssociationIndex AssociationTree::FindId(int64_t id) const {
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), id,
                                      [this](AssociationIndex i, int64_t v) { return id_[i] < v; });
  return found != by_id_.end() && id_[*found] == id ? *found : FindMerged(id);
}

void AssociationTree::RollUp(absl::Span<double> column) const {
  for (AssociationIndex i = size() - 1; i > 0; --i) column[parent_[i]] += column[i];
}

}  // namespace priorityd::priority
