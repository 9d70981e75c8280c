#include "server/administration/tree/tree_slice.h"

#include <algorithm>
#include <utility>

namespace priorityd::administration {

TreeSlice::TreeSlice(std::vector<Row> rows) {
  by_name_.reserve(rows.size());
  for (Row& row : rows) Put(std::move(row));
}

const TreeSlice::Row* TreeSlice::Find(const std::string& account, const std::string& user,
                                      const std::string& partition) const {
  const auto found = by_name_.find(Name(account, user, partition));
  return found == by_name_.end() ? nullptr : ById(found->second);
}

const TreeSlice::Row* TreeSlice::ById(int64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

const TreeSlice::Row* TreeSlice::Parent(const Row& row) const {
  return row.parent_id.has_value() ? ById(*row.parent_id) : nullptr;
}

int TreeSlice::DepthOf(const Row& row) const {
  int depth = row.user_name.empty() ? 0 : -1;
  for (const Row* above = Parent(row); above != nullptr; above = Parent(*above)) ++depth;
  return depth;
}

void TreeSlice::Put(Row row) {
  by_name_[Name(row.account, row.user_name, row.partition)] = row.id;
  const int64_t id = row.id;
  rows_[id] = std::move(row);
}

void TreeSlice::Remove(int64_t id) {
  const auto found = rows_.find(id);
  if (found == rows_.end()) return;
  const Row& row = found->second;
  by_name_.erase(Name(row.account, row.user_name, row.partition));
  rows_.erase(found);
}

bool TreeSlice::IsAtOrBelow(const Row& row, const std::set<std::string>& accounts) const {
  for (const Row* at = &row; at != nullptr; at = Parent(*at)) {
    if (at->user_name.empty() && accounts.count(at->account) > 0) return true;
  }
  return false;
}

absl::flat_hash_map<int64_t, std::vector<int64_t>> TreeSlice::Children() const {
  absl::flat_hash_map<int64_t, std::vector<int64_t>> children;
  for (const auto& [id, row] : rows_) {
    if (row.parent_id.has_value()) children[*row.parent_id].push_back(id);
  }
  return children;
}

std::vector<int64_t> TreeSlice::MovedAmong(const std::vector<Row>& rows) const {
  std::vector<int64_t> moved;
  for (const Row& row : rows) {
    const Row* here = ById(row.id);
    if (here != nullptr && here->parent_id != row.parent_id) moved.push_back(row.id);
  }
  return moved;
}

std::vector<int64_t> TreeSlice::WithBelow(const std::vector<int64_t>& ids) const {
  const auto children = Children();
  std::set<int64_t> seen(ids.begin(), ids.end());
  std::vector<int64_t> all(seen.begin(), seen.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const auto below = children.find(all[i]);
    if (below == children.end()) continue;
    for (const int64_t child : below->second) {
      if (seen.insert(child).second) all.push_back(child);
    }
  }
  return all;
}

std::vector<int64_t> TreeSlice::InTreeOrder() const {
  const auto children = Children();
  std::vector<int64_t> stack;
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (Parent(row->second) == nullptr) stack.push_back(row->first);
  }
  std::vector<int64_t> order;
  order.reserve(rows_.size());
  while (!stack.empty()) {
    order.push_back(stack.back());
    stack.pop_back();
    const auto below = children.find(order.back());
    if (below == children.end()) continue;
    stack.insert(stack.end(), below->second.rbegin(), below->second.rend());
  }
  return order;
}

std::optional<NameList> TreeSlice::QosListOf(const Row& row) const {
  for (const Row* at = &row; at != nullptr; at = Parent(*at)) {
    if (at->qos.has_value()) return at->qos;
  }
  return std::nullopt;
}

std::optional<NameList> TreeSlice::InheritedQosList(const Row& row) const {
  const Row* parent = Parent(row);
  return parent == nullptr ? std::nullopt : QosListOf(*parent);
}

std::string TreeSlice::DefaultQosOf(const Row& row) const {
  for (const Row* at = &row; at != nullptr; at = Parent(*at)) {
    if (at->default_qos.has_value()) return *at->default_qos;
  }
  return "";
}

bool IsRoot(const storage::Association& row) {
  return row.account == kRootAccount && row.user_name.empty();
}

ObjectKey KeyOf(const storage::Association& row) {
  return {.kind = "association",
          .account = row.account,
          .user = row.user_name,
          .partition = row.partition};
}

std::string ObjectName(const storage::Association& row) { return TextOf(KeyOf(row)); }

}  // namespace priorityd::administration
