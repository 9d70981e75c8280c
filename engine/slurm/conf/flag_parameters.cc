#include "engine/slurm/conf/flag_parameters.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/conf_words.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {
namespace {

constexpr Word<bool priority::Policy::*> kFieldFlags[] = {
    {"ACCRUE_ALWAYS", &priority::Policy::accrue_always},
    {"CALCULATE_RUNNING", &priority::Policy::calculate_running},
    {"INCR_ONLY", &priority::Policy::incr_only},
    {"MAX_TRES", &priority::Policy::max_tres},
    {"MAX_TRES_GRES", &priority::Policy::max_tres_gres},
    {"NO_NORMAL_ASSOC", &priority::Policy::no_normal_assoc},
    {"NO_NORMAL_PART", &priority::Policy::no_normal_part},
    {"NO_NORMAL_QOS", &priority::Policy::no_normal_qos},
    {"NO_NORMAL_TRES", &priority::Policy::no_normal_tres},
    {"SMALL_RELATIVE_TO_TIME", &priority::Policy::small_relative_to_time},
};

bool AddFlag(absl::string_view word, PriorityFlagSet& flags) {
  if (absl::EqualsIgnoreCase(word, "NO_FAIR_TREE")) return flags.no_fair_tree = true;
  if (absl::EqualsIgnoreCase(word, "DEPTH_OBLIVIOUS")) return flags.depth_oblivious = true;
  const bool all = absl::EqualsIgnoreCase(word, "NO_NORMAL_ALL");
  bool known = all;
  for (const auto& [name, field] : kFieldFlags) {
    if (absl::EqualsIgnoreCase(word, name) || (all && absl::StartsWith(name, "NO_NORMAL_"))) {
      flags.fields.push_back(field);
      known = true;
    }
  }
  return known;
}

// slurmctld searches the names anywhere in the value.
bool AddContained(absl::string_view word, PriorityFlagSet& flags) {
  const std::string upper = absl::AsciiStrToUpper(word);
  bool any = false;
  for (const auto& [name, field] : kFieldFlags) {
    const bool shorter = name == "MAX_TRES" && absl::StrContains(upper, "MAX_TRES_GRES");
    if (absl::StrContains(upper, name) && !shorter) any = AddFlag(name, flags);
  }
  for (const absl::string_view name : {"NO_NORMAL_ALL", "DEPTH_OBLIVIOUS", "NO_FAIR_TREE"}) {
    if (absl::StrContains(upper, name)) any = AddFlag(name, flags);
  }
  return any;
}

// A remark on a word that is not a flag; empty = none.
std::string LossOf(absl::string_view word, bool contained, absl::string_view want) {
  const ConfValueWord* known = FindConfValueWord("PriorityFlags", word);
  if (known != nullptr && known->fate == ValueFate::kSame) return "";
  if (known != nullptr) return absl::StrCat("got ", Quoted(word), ", ", known->remark);
  return absl::StrCat("got ", Quoted(word), ", which slurmctld ",
                      contained ? "reads as what it contains" : "ignores", ", want one of ", want);
}

}  // namespace

absl::Status ReadPriorityFlags(absl::string_view value, absl::string_view want,
                               PolicyDraft& draft) {
  PriorityFlagSet flags;
  for (absl::string_view word : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (AddFlag(word, flags)) continue;
    std::string loss = LossOf(word, AddContained(word, flags), want);
    if (!loss.empty()) draft.losses.push_back(std::move(loss));
  }
  draft.flags = std::move(flags);
  return absl::OkStatus();
}

std::string WritePriorityFlags(const priority::Policy& policy) {
  return absl::StrJoin(priority::PriorityFlagNames(policy), ",");
}

absl::Status ReadFairShareAlgorithm(absl::string_view value, absl::string_view want,
                                    PolicyDraft& draft) {
  using priority::FairShareAlgorithm;
  for (const FairShareAlgorithm algorithm :
       {FairShareAlgorithm::kFairTree, FairShareAlgorithm::kClassic,
        FairShareAlgorithm::kDepthOblivious, FairShareAlgorithm::kLinear}) {
    if (!absl::EqualsIgnoreCase(value, priority::FairShareAlgorithmName(algorithm))) continue;
    draft.algorithm = algorithm;
    return absl::OkStatus();
  }
  return Unexpected(value, want);
}

std::string WriteFairShareAlgorithm(const priority::Policy& policy) {
  return std::string(priority::FairShareAlgorithmName(policy.algorithm));
}

}  // namespace priorityd::slurm
