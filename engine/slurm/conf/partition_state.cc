#include "engine/slurm/conf/partition_state.h"

#include "absl/strings/match.h"

namespace priorityd::slurm {
namespace {

struct State {
  absl::string_view word;
  bool up;
  bool open;
};
constexpr State kStates[] = {
    {"UP", true, true}, {"DOWN", false, true}, {"DRAIN", true, false}, {"INACTIVE", false, false}};

}  // namespace

absl::string_view PartitionState(const priority::Partition& partition) {
  for (const State& state : kStates) {
    if (state.up == partition.up && state.open == partition.open) return state.word;
  }
  return "";
}

bool SetPartitionState(absl::string_view word, priority::Partition* partition) {
  for (const State& state : kStates) {
    if (!absl::StartsWithIgnoreCase(word, state.word)) continue;
    partition->up = state.up;
    partition->open = state.open;
    return true;
  }
  return false;
}

}  // namespace priorityd::slurm
