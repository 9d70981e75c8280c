#include "engine/priority/fair_share/usage_column.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace priorityd::priority {
namespace {

// A pair takes the memory of two amounts and is slower to find.
constexpr int kSparse = 4;

void AddUp(UsageColumn::Amounts* amounts) {
  std::stable_sort(amounts->begin(), amounts->end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  size_t kept = 0;
  for (const auto& amount : *amounts) {
    if (kept > 0 && (*amounts)[kept - 1].first == amount.first) {
      (*amounts)[kept - 1].second += amount.second;
    } else {
      (*amounts)[kept++] = amount;
    }
  }
  amounts->resize(kept);
}

}  // namespace

UsageColumn::UsageColumn(Amounts amounts, int size) { Take(std::move(amounts), size); }

void UsageColumn::Take(Amounts amounts, int size) {
  sparse_ = {};
  if (amounts.size() * kSparse < static_cast<size_t>(size)) {
    AddUp(&amounts);
    sparse_.assign(amounts.begin(), amounts.end());
    return;
  }
  dense_.resize(size);
  for (const auto& [i, amount] : amounts) dense_[i] += amount;
}

double UsageColumn::operator[](AssociationIndex i) const {
  if (!dense_.empty()) return dense_[i];
  const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), i,
                                      [](const auto& amount, int of) { return amount.first < of; });
  return found == sparse_.end() || found->first != i ? 0 : found->second;
}

void UsageColumn::ForEach(absl::FunctionRef<void(AssociationIndex, double)> visit) const {
  for (size_t i = 0; i < dense_.size(); ++i) {
    if (dense_[i] != 0) visit(static_cast<AssociationIndex>(i), dense_[i]);
  }
  for (const auto& [i, amount] : sparse_) {
    if (amount != 0) visit(i, amount);
  }
}

void UsageColumn::RollUp(const AssociationTree& tree) {
  if (!dense_.empty()) return tree.RollUp(absl::MakeSpan(dense_));
  absl::flat_hash_map<AssociationIndex, double> sums(sparse_.begin(), sparse_.end());
  std::vector<AssociationIndex> reached;
  for (const auto& [i, amount] : sparse_) {
    reached.push_back(i);
    for (AssociationIndex up = i; up > 0; up = tree.parent()[up]) {
      if (!sums.try_emplace(tree.parent()[up], 0).second) break;
      reached.push_back(tree.parent()[up]);
    }
  }
  // Children have larger indices than their parents.
  std::sort(reached.begin(), reached.end());
  for (auto i = reached.rbegin(); i != reached.rend() && *i > 0; ++i) {
    const double amount = sums[*i];
    sums[tree.parent()[*i]] += amount;
  }
  Amounts rolled_up;
  for (const AssociationIndex i : reached) rolled_up.emplace_back(i, sums[i]);
  Take(std::move(rolled_up), tree.size());
}

size_t UsageColumn::bytes() const {
  return sizeof(*this) + dense_.capacity() * sizeof(double) +
         sparse_.capacity() * sizeof(Amounts::value_type);
}

}  // namespace priorityd::priority
