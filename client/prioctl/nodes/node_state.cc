#include "client/prioctl/nodes/node_state.h"

#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

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

const StateName& NameOf(NodeState state) {
  return *absl::c_find_if(kNames, [&](const StateName& name) { return name.state == state; });
}

}  // namespace

std::string ShortStateText(NodeState state) { return NameOf(state).compact; }

std::string StateText(NodeState state) { return NameOf(state).name; }

absl::StatusOr<std::vector<NodeState>> ParseStates(absl::string_view text) {
  std::vector<NodeState> states;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    if (absl::EqualsIgnoreCase(word, "drain")) {
      states.insert(states.end(), {NodeState::kDrained, NodeState::kDraining});
      continue;
    }
    const auto* found = absl::c_find_if(kNames, [&](const StateName& name) {
      return absl::StartsWithIgnoreCase(name.compact, word) ||
             absl::StartsWithIgnoreCase(name.name, word);
    });
    if (found == std::end(kNames)) {
      const auto add_name = [](std::string* all, const StateName& name) {
        absl::StrAppend(all, name.name);
      };
      return absl::InvalidArgumentError(absl::StrCat("--states: got \"", word, "\", want one of ",
                                                     absl::StrJoin(kNames, ", ", add_name)));
    }
    states.push_back(found->state);
  }
  return states;
}

}  // namespace priorityd::nodes
