#include "server/recalculation/kept_input.h"

#include <utility>

#include "server/recalculation/free_room.h"

namespace priorityd::recalculation {
namespace {

// Drops rows that only building the configuration needs, and data that each recalculation reads
// again.
void DropRows(RecalculationInput* input) {
  storage::ClusterState& state = input->state;
  Free(&state.associations);
  Free(&state.users);
  Free(&state.partitions);
  Free(&state.deleted_partitions);
  if (state.policy.has_value()) Free(&state.policy->files);
  if (input->first_policy.has_value()) Free(&input->first_policy->files);
  Free(&input->recorded_until);
  Free(&input->started);
  input->domain = nullptr;
  Free(&input->ahead);
  Free(&input->qos_ahead);
}

}  // namespace

KeptInput::KeptInput(RecalculationInput input, PublishedUsage published)
    : input_(std::move(input)),
      published_(std::move(published)),
      is_as_published_(input_.ahead.empty()) {
  PutBackAhead(&input_);
  DropRows(&input_);
  if (!is_as_published_ || published_.whole.empty()) {
    published_.whole = storage::PackWhole(input_.state);
  }
  usage_ = KeptUsage(std::exchange(published_.whole, {}), &input_.state);
  if (is_as_published_) Free(&published_.hashes);
}

absl::Status KeptInput::TakeOut(RecalculationInput* input, PublishedUsage* published) && {
  *input = std::move(input_);
  *published = std::move(published_);
  if (is_as_published_) {
    auto hashes = usage_.Hashes();
    if (!hashes.ok()) return hashes.status();
    published->hashes = *std::move(hashes);
  }
  return usage_.PutBack(&input->state);
}

}  // namespace priorityd::recalculation
