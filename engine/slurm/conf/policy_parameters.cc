#include "engine/slurm/conf/policy_parameters.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/conf_words.h"
#include "engine/slurm/conf/policy_parameter_table.h"
#include "engine/slurm/conf/service_parameters.h"
#include "engine/slurm/conf/unused_words.h"

namespace priorityd::slurm {
namespace {

// PriorityParameters is for Slurm's own site plugins.
bool LooksLikeParameter(absl::string_view lower_key) {
  return lower_key != "priorityparameters" &&
         (absl::StartsWith(lower_key, "priority") || absl::StartsWith(lower_key, "fairshare") ||
          absl::StartsWith(lower_key, "fairtree"));
}

bool Contradicts(priority::FairShareAlgorithm algorithm, const PriorityFlagSet& flags) {
  switch (algorithm) {
    case priority::FairShareAlgorithm::kFairTree:
      return flags.no_fair_tree || flags.depth_oblivious;
    case priority::FairShareAlgorithm::kClassic:
    case priority::FairShareAlgorithm::kLinear:
      return flags.depth_oblivious;
    case priority::FairShareAlgorithm::kDepthOblivious:
      return false;
  }
  return false;
}

}  // namespace

bool PolicyParameters::Read(const ConfPair& pair) {
  const std::string key = absl::AsciiStrToLower(pair.key);
  const auto error = [&](absl::string_view message) {
    errors_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", message));
  };
  const PolicyParameter* parameter = FindPolicyParameter(key);
  if (parameter == nullptr) {
    if (!LooksLikeParameter(key)) return false;
    error("got an unknown parameter, want one of slurm.conf's priority parameters");
    return true;
  }
  if (IsNull(pair.value)) return true;
  const ConfValueWord* word = FindConfValueWord(parameter->name, pair.value);
  draft_.losses.clear();
  if (word != nullptr && word->fate == ValueFate::kRefused) {
    error(
        absl::StrCat("got ", Quoted(pair.value), ", ", word->remark, "; want ", parameter->values));
  } else if (const absl::Status s = parameter->Read(pair.value, draft_); !s.ok()) {
    error(s.message());
  }
  for (const std::string& loss : draft_.losses) {
    losses_.push_back(absl::StrCat(pair.place.Where(), ": ", pair.key, ": ", loss));
  }
  const auto [earlier, is_new] = given_.emplace(key, pair);
  if (!is_new) {
    warnings_.push_back(absl::StrCat(pair.place.Where(), ": ", pair.key,
                                     " is set again; this value is used, not ",
                                     earlier->second.place.Where()));
    earlier->second = pair;
  }
  return true;
}

const ConfPair* PolicyParameters::Given(const char* lower_key) const {
  const auto found = given_.find(lower_key);
  return found == given_.end() ? nullptr : &found->second;
}

void PolicyParameters::CheckHalfLife() {
  const ConfPair* half_life = Given("prioritydecayhalflife");
  if (half_life == nullptr || draft_.policy.decays()) return;
  const bool zero = half_life->value[0] == '0';
  if (zero && Given("priorityusageresetperiod") == nullptr) {
    errors_.Add(half_life->place.file->name, half_life->place.line,
                absl::StrCat(half_life->key, ": got ", Quoted(half_life->value),
                             " without PriorityUsageResetPeriod, want that too (NONE, if usage "
                             "is to be kept for ever) or a half-life above 0"));
  } else if (draft_.policy.reset_period == priority::ResetPeriod::kNone) {
    warnings_.push_back(absl::StrCat(half_life->place.Where(), ": ", half_life->key,
                                     ": usage never decays and is never reset"));
  }
}

void PolicyParameters::ApplyAlgorithm() {
  const PriorityFlagSet& flags = draft_.flags;
  for (bool priority::Policy::*field : flags.fields) draft_.policy.*field = true;
  if (!draft_.algorithm.has_value()) {
    draft_.policy.algorithm = flags.depth_oblivious ? priority::FairShareAlgorithm::kDepthOblivious
                              : flags.no_fair_tree  ? priority::FairShareAlgorithm::kClassic
                                                    : priority::FairShareAlgorithm::kFairTree;
    return;
  }
  draft_.policy.algorithm = *draft_.algorithm;
  if (Contradicts(*draft_.algorithm, flags)) {
    const ConfPair& pair = *Given("fairsharealgorithm");
    errors_.Add(pair.place.file->name, pair.place.line,
                absl::StrCat(pair.key, ": got ", Quoted(pair.value), " against PriorityFlags=",
                             Quoted(Given("priorityflags")->value), " at ",
                             Given("priorityflags")->place.Where(), ", want the two to agree"));
  }
}

void PolicyParameters::AddUnused(UnusedSettings& unused) const {
  for (const auto& [key, pair] : given_) unused.Add(UnusedWordsOf(pair));
  const ConfPair* plugin = Given("prioritysitefactorplugin");
  if (plugin == nullptr || !IsSlurmSiteFactor(plugin->value)) return;
  unused.Add({.place = plugin->place.Where(),
              .name = "PrioritySiteFactorPlugin",
              .value = plugin->value,
              .unused_class = UnusedClass::kNumbers,
              .effect = "A plugin of slurmctld adds its points to priorities. Here a gRPC service "
                        "does (docs/site-factor.md): add a line PrioritySiteFactorPlugin=host:port "
                        "below, which holds instead."});
}

priority::Policy PolicyParameters::Finish(UnusedSettings& unused) {
  CheckHalfLife();
  ApplyAlgorithm();
  AddUnused(unused);
  return draft_.policy;
}

}  // namespace priorityd::slurm
