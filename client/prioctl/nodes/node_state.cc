#include "client/prioctl/nodes/node_state.h"

#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace priorityd::nodes {
namespace {

struct StateName {
  NodeState state;
  const char* compact;
  const char* name;
};
constexpr StateName kNames[] = {
    {NodeState::kUnknown, "unk", "unknown"},    {NodeState::kDown, "down", "down"},
    {NodeState::kIdle, "idle", "idle"},         {NodeState::kAllocated, "alloc", "allocated"},
    {NodeState::kMixed, "mix", "mixed"},        {NodeState::kDrained, "drain", "drained"},
    {NodeState::kDraining, "drng", "draining"}, {NodeState::kFail, "fail", "fail"},
};

// Of idle nodes.
constexpr StateName kReserved = {NodeState::kIdle, "resv", "reserved"};
constexpr StateName kMaintenance = {NodeState::kIdle, "maint", "maint"};

const StateName& NameOf(NodeState state) {
  return *absl::c_find_if(kNames, [&](const StateName& name) { return name.state == state; });
}

std::string TextOf(NodeState state, Reserved reserved, const char* StateName::*text) {
  if (state == NodeState::kIdle && reserved == Reserved::kReserved) return kReserved.*text;
  if (state == NodeState::kIdle && reserved == Reserved::kMaintenance) return kMaintenance.*text;
  return absl::StrCat(NameOf(state).*text, reserved == Reserved::kMaintenance ? "$" : "");
}

// slurmctld keeps a state as a number: the flags of reservations are between the states and those
// of maintenance.
std::tuple<bool, bool, bool, bool, NodeState> RankOf(NodeState state, Reserved reserved) {
  const bool is_drain = state == NodeState::kDrained || state == NodeState::kDraining;
  return {reserved == Reserved::kMaintenance, state == NodeState::kFail, is_drain,
          reserved != Reserved::kNo, state};
}

bool Names(const StateName& name, absl::string_view word) {
  return absl::StartsWithIgnoreCase(name.compact, word) ||
         absl::StartsWithIgnoreCase(name.name, word);
}

const StateName* FindWord(absl::Span<const StateName> names, absl::string_view word) {
  const auto found =
      absl::c_find_if(names, [&](const StateName& name) { return Names(name, word); });
  return found == names.end() ? nullptr : &*found;
}

void AddName(std::string* all, const StateName& name) { absl::StrAppend(all, name.name); }

}  // namespace

std::string ShortStateText(NodeState state, Reserved reserved) {
  return TextOf(state, reserved, &StateName::compact);
}

std::string StateText(NodeState state, Reserved reserved) {
  return TextOf(state, reserved, &StateName::name);
}

int CompareStates(NodeState a, Reserved a_reserved, NodeState b, Reserved b_reserved) {
  const auto key_a = RankOf(a, a_reserved), key_b = RankOf(b, b_reserved);
  return key_a < key_b ? -1 : key_a > key_b;
}

bool StateSet::Has(NodeState state, Reserved of_node) const {
  return (states.empty() && reserved.empty()) || absl::c_linear_search(states, state) ||
         absl::c_linear_search(reserved, of_node);
}

absl::StatusOr<StateSet> ParseStates(absl::string_view text) {
  StateSet set;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    if (absl::EqualsIgnoreCase(word, "drain")) {
      set.states.insert(set.states.end(), {NodeState::kDrained, NodeState::kDraining});
    } else if (const StateName* name = FindWord(kNames, word); name != nullptr) {
      set.states.push_back(name->state);
    } else if (Names(kReserved, word)) {
      set.reserved.insert(set.reserved.end(), {Reserved::kReserved, Reserved::kMaintenance});
    } else if (Names(kMaintenance, word)) {
      set.reserved.push_back(Reserved::kMaintenance);
    } else {
      return absl::InvalidArgumentError(absl::StrCat("--states: got \"", word, "\", want one of ",
                                                     absl::StrJoin(kNames, ", ", AddName), ", ",
                                                     kReserved.name, ", ", kMaintenance.name));
    }
  }
  return set;
}

}  // namespace priorityd::nodes
