#include "server/recalculation/kept_usage.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/recalculation/free_room.h"

namespace priorityd::recalculation {
namespace {

bool IsUnused(const storage::UsageRow& row) { return row.as_of == absl::InfinitePast(); }

}  // namespace

KeptUsage::KeptUsage(std::vector<std::string> whole, storage::ClusterState* state)
    : parts_(std::move(whole)) {
  for (std::string& part : parts_) part.shrink_to_fit();
  for (const storage::UsageRow& row : state->association_usage) {
    if (IsUnused(row)) unused_.push_back(row.id);
  }
  unused_.shrink_to_fit();
  Free(&state->association_usage);
  Free(&state->opening_usage);
  Free(&state->deleted_associations);
}

absl::Status KeptUsage::PutBack(storage::ClusterState* state) const {
  if (absl::Status s = storage::ApplyUsage(parts_, state); !s.ok() || unused_.empty()) return s;
  std::vector<storage::UsageRow>& rows = state->association_usage;
  const auto middle = static_cast<ptrdiff_t>(rows.size());
  for (const int64_t id : unused_) rows.push_back({.id = id});
  std::inplace_merge(rows.begin(), rows.begin() + middle, rows.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
  return absl::OkStatus();
}

absl::StatusOr<storage::EntryHashes> KeptUsage::Hashes() const {
  storage::EntryHashes hashes;
  absl::Status status = storage::ApplyUsage(parts_, &hashes);
  if (!status.ok()) return status;
  return hashes;
}

}  // namespace priorityd::recalculation
