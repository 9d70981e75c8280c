#include "engine/slurm/conf/conf_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/conf/partition_lines.h"
#include "engine/slurm/conf/policy_parameter_table.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kReadElsewhere[] = {"ClusterName", "Include", "Licenses",
                                                "NodeName",    "NodeSet", "PartitionName"};

constexpr ConfValueWord kValueWords[] = {
    {"PriorityFlags", "FAIR_TREE", ValueFate::kSame,
     "the old name of the default, which other flags change"},
    {"PriorityFlags", "TICKET_BASED", ValueFate::kLost,
     "only in Slurm 14.11; slurmctld ignores it since 15.08"},
    {"PriorityType", "priority/multifactor2", ValueFate::kRefused,
     "the ticket-based priorities of Slurm up to 14.11, which no later Slurm computes"},
    {"PreemptMode", "CHECKPOINT", ValueFate::kActedOn,
     "in Slurm up to 19.05; jobs can be preempted"},
};

// The parameters with a value of words, some of which have no effect.
bool HasUnusedWords(absl::string_view name) {
  return absl::c_any_of(UnusedValueWords(), [name](const UnusedValueWord& word) {
    return absl::EqualsIgnoreCase(word.parameter, name);
  });
}

bool IsReadElsewhere(absl::string_view name) {
  return absl::c_any_of(kReadElsewhere, [name](absl::string_view known) {
    return absl::EqualsIgnoreCase(known, name);
  });
}

}  // namespace

bool IsActedOn(ConfWordPlace place, absl::string_view name) {
  switch (place) {
    case ConfWordPlace::kNode:
      return absl::EqualsIgnoreCase(name, "NodeName") || IsNodeKey(name);
    case ConfWordPlace::kPartition:
      return absl::EqualsIgnoreCase(name, "PartitionName") || IsPartitionKey(name);
    case ConfWordPlace::kFile:
      break;
  }
  return FindPolicyParameter(name) != nullptr || IsReadElsewhere(name);
}

bool IsConfWord(ConfWordPlace place, absl::string_view name) {
  return IsActedOn(place, name) || FindUnusedWord(place, name) != nullptr ||
         (place == ConfWordPlace::kFile && HasUnusedWords(name));
}

absl::Span<const ConfValueWord> ConfValueWords() { return kValueWords; }

const ConfValueWord* FindConfValueWord(absl::string_view parameter, absl::string_view value) {
  const auto found = absl::c_find_if(kValueWords, [&](const ConfValueWord& word) {
    return absl::EqualsIgnoreCase(word.parameter, parameter) &&
           absl::EqualsIgnoreCase(word.value, value);
  });
  return found == std::end(kValueWords) ? nullptr : found;
}

}  // namespace priorityd::slurm
