#include "engine/priority/site/limit_kind.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::priority {
namespace {

using Kind = LimitKind;
using Phase = LimitPhase;
using Scope = LimitScope;
using Measure = LimitMeasure;

// In the order of LimitKind.
constexpr LimitRule kRules[kLimitKinds] = {
    {.kind = Kind::kGrpJobs,
     .association_name = "GrpJobs",
     .qos_name = "GrpJobs",
     .phase = Phase::kFirst,
     .scope = Scope::kGroup,
     .measure = Measure::kJobs},
    {.kind = Kind::kGrpWall,
     .association_name = "GrpWall",
     .qos_name = "GrpWall",
     .phase = Phase::kFirst,
     .scope = Scope::kGroup,
     .measure = Measure::kWall,
     .counts_usage = true},
    {.kind = Kind::kMaxJobsPerAccount,
     .qos_name = "MaxJobsPA",
     .phase = Phase::kFirst,
     .scope = Scope::kAccount,
     .measure = Measure::kJobs},
    {.kind = Kind::kMaxJobs,
     .association_name = "MaxJobs",
     .qos_name = "MaxJobsPU",
     .phase = Phase::kFirst,
     .scope = Scope::kUser,
     .measure = Measure::kJobs},
    {.kind = Kind::kMaxWall,
     .association_name = "MaxWall",
     .qos_name = "MaxWall",
     .phase = Phase::kFirst,
     .scope = Scope::kJob,
     .measure = Measure::kWall},
    {.kind = Kind::kGrpTresMins,
     .association_name = "GrpTRESMins",
     .qos_name = "GrpTRESMins",
     .phase = Phase::kSecond,
     .scope = Scope::kGroup,
     .measure = Measure::kTresSeconds,
     .counts_usage = true},
    {.kind = Kind::kGrpTres,
     .association_name = "GrpTRES",
     .qos_name = "GrpTRES",
     .phase = Phase::kSecond,
     .scope = Scope::kGroup,
     .measure = Measure::kTres,
     .by_limit_factor = true},
    {.kind = Kind::kGrpTresRunMins,
     .association_name = "GrpTRESRunMins",
     .qos_name = "GrpTRESRunMins",
     .phase = Phase::kSecond,
     .scope = Scope::kGroup,
     .measure = Measure::kTresSeconds},
    {.kind = Kind::kMaxTresMins,
     .association_name = "MaxTRESMins",
     .qos_name = "MaxTRESMins",
     .phase = Phase::kSecond,
     .scope = Scope::kJob,
     .measure = Measure::kTresSeconds},
    {.kind = Kind::kMaxTres,
     .association_name = "MaxTRES",
     .qos_name = "MaxTRES",
     .phase = Phase::kSecond,
     .scope = Scope::kJob,
     .measure = Measure::kTres,
     .by_limit_factor = true},
    {.kind = Kind::kMaxTresPerNode,
     .association_name = "MaxTRESPerNode",
     .qos_name = "MaxTRESPerNode",
     .phase = Phase::kSecond,
     .scope = Scope::kJob,
     .measure = Measure::kTresPerNode},
    {.kind = Kind::kMinTres,
     .qos_name = "MinTRES",
     .phase = Phase::kSecond,
     .scope = Scope::kJob,
     .measure = Measure::kTres,
     .is_least = true},
    {.kind = Kind::kMaxTresPerAccount,
     .qos_name = "MaxTRESPA",
     .phase = Phase::kSecond,
     .scope = Scope::kAccount,
     .measure = Measure::kTres},
    {.kind = Kind::kMaxTresPerUser,
     .qos_name = "MaxTRESPU",
     .phase = Phase::kSecond,
     .scope = Scope::kUser,
     .measure = Measure::kTres},
    {.kind = Kind::kMaxTresRunMinsPerAccount,
     .qos_name = "MaxTRESRunMinsPA",
     .phase = Phase::kSecond,
     .scope = Scope::kAccount,
     .measure = Measure::kTresSeconds},
    {.kind = Kind::kMaxTresRunMins,
     .association_name = "MaxTRESRunMins",
     .qos_name = "MaxTRESRunMinsPU",
     .phase = Phase::kSecond,
     .scope = Scope::kUser,
     .measure = Measure::kTresSeconds},
    {.kind = Kind::kGrpSubmitJobs,
     .association_name = "GrpSubmitJobs",
     .qos_name = "GrpSubmitJobs",
     .phase = Phase::kSubmission,
     .scope = Scope::kGroup,
     .measure = Measure::kJobs},
    {.kind = Kind::kMaxSubmitJobsPerAccount,
     .qos_name = "MaxSubmitJobsPerAccount",
     .phase = Phase::kSubmission,
     .scope = Scope::kAccount,
     .measure = Measure::kJobs},
    {.kind = Kind::kMaxSubmitJobs,
     .association_name = "MaxSubmitJobs",
     .qos_name = "MaxSubmitJobsPerUser",
     .phase = Phase::kSubmission,
     .scope = Scope::kUser,
     .measure = Measure::kJobs},
};

// The names of a TRES in Slurm's reasons. `family` is a TRES name, or a prefix that ends in `/`.
struct Family {
  absl::string_view tres;
  absl::string_view association;
  absl::string_view qos;
};
constexpr Family kFamilies[] = {
    {"cpu", "Cpu", "Cpu"},
    {"mem", "Mem", "Memory"},
    {"energy", "Energy", "Energy"},
    {"node", "Node", "Node"},
    {"billing", "Billing", "Billing"},
    {"gres/", "GRES", "GRES"},
    {"license/", "License", "License"},
    {"bb/", "BB", "BB"},
    {"", "Unknown", "Unknown"},
};
constexpr size_t kFamilyCount = std::size(kFamilies);

// The reason of a kind; `%` stands for the TRES.
struct Pattern {
  Kind kind;
  absl::string_view association;
  absl::string_view qos;
};
constexpr Pattern kPatterns[] = {
    {Kind::kGrpJobs, "AssocGrpJobsLimit", "QOSGrpJobsLimit"},
    {Kind::kGrpWall, "AssocGrpWallLimit", "QOSGrpWallLimit"},
    {Kind::kMaxJobsPerAccount, "", "MaxJobsPerAccount"},
    {Kind::kMaxJobs, "AssocMaxJobsLimit", "QOSMaxJobsPerUserLimit"},
    {Kind::kMaxWall, "AssocMaxWallDurationPerJobLimit", "QOSMaxWallDurationPerJobLimit"},
    {Kind::kGrpTresMins, "AssocGrp%Minutes", "QOSGrp%Minutes"},
    {Kind::kGrpTres, "AssocGrp%", "QOSGrp%"},
    {Kind::kGrpTresRunMins, "AssocGrp%RunMinutes", "QOSGrp%RunMinutes"},
    {Kind::kMaxTresMins, "AssocMax%MinutesPerJob", "QOSMax%MinutesPerJob"},
    {Kind::kMaxTres, "AssocMax%PerJob", "QOSMax%PerJob"},
    {Kind::kMaxTresPerNode, "AssocMax%PerNode", "QOSMax%PerNode"},
    {Kind::kMinTres, "", "QOSMin%"},
    {Kind::kMaxTresPerAccount, "", "Max%PerAccount"},
    {Kind::kMaxTresPerUser, "", "QOSMax%PerUser"},
    {Kind::kMaxTresRunMinsPerAccount, "", "Max%RunMinsPerAccount"},
    {Kind::kMaxTresRunMins, "AssocMax%RunMinutes", "QOSMax%RunMinutesPerUser"},
    {Kind::kGrpSubmitJobs, "AssocGrpSubmitJobsLimit", "QOSGrpSubmitJobsLimit"},
    {Kind::kMaxSubmitJobsPerAccount, "", "MaxSubmitJobsPerAccount"},
    {Kind::kMaxSubmitJobs, "AssocMaxSubmitJobLimit", "QOSMaxSubmitJobPerUserLimit"},
};

// Reasons that do not follow the pattern.
struct Exception {
  Kind kind;
  absl::string_view tres;
  absl::string_view association;
  absl::string_view qos;
};
constexpr Exception kExceptions[] = {
    {Kind::kGrpTresMins, "cpu", "AssocGrpCPUMinutesLimit", "QOSGrpCPUMinutesLimit"},
    {Kind::kGrpTres, "cpu", "AssocGrpCpuLimit", "QOSGrpCpuLimit"},
    {Kind::kGrpTres, "mem", "AssocGrpMemLimit", "QOSGrpMemLimit"},
    {Kind::kGrpTres, "node", "AssocGrpNodeLimit", "QOSGrpNodeLimit"},
    {Kind::kGrpTresRunMins, "cpu", "AssocGrpCPURunMinutesLimit", "QOSGrpCPURunMinutesLimit"},
    {Kind::kMaxTresMins, "cpu", "AssocMaxCpuMinutesPerJobLimit", "QOSMaxCpuMinutesPerJobLimit"},
    {Kind::kMaxTres, "cpu", "AssocMaxCpuPerJobLimit", "QOSMaxCpuPerJobLimit"},
    {Kind::kMaxTres, "node", "AssocMaxNodePerJobLimit", "QOSMaxNodePerJobLimit"},
    {Kind::kMinTres, "cpu", "", "QOSMinCpuNotSatisfied"},
    {Kind::kMaxTresPerUser, "cpu", "", "QOSMaxCpuPerUserLimit"},
    {Kind::kMaxTresPerUser, "node", "", "QOSMaxNodePerUserLimit"},
};

size_t FamilyOf(absl::string_view tres) {
  if (IsTresSum(tres) || IsPrice(tres)) tres = "billing";  // Which is such a sum, too.
  const auto is_of = [tres](const Family& family) {
    return absl::EndsWith(family.tres, "/") ? absl::StartsWith(tres, family.tres)
                                            : tres == family.tres;
  };
  const auto* found = std::find_if(std::begin(kFamilies), std::end(kFamilies), is_of);
  return std::min<size_t>(found - std::begin(kFamilies), kFamilyCount - 1);
}

// By kind, family, and whether of a QOS.
using Words = std::array<std::array<std::array<std::string, 2>, kFamilyCount>, kLimitKinds>;

Words MakeWords() {
  Words words;
  for (const Pattern& pattern : kPatterns) {
    for (size_t i = 0; i < kFamilyCount; ++i) {
      auto& of = words[static_cast<size_t>(pattern.kind)][i];
      of[0] = absl::StrReplaceAll(pattern.association, {{"%", kFamilies[i].association}});
      of[1] = absl::StrReplaceAll(pattern.qos, {{"%", kFamilies[i].qos}});
    }
  }
  for (const Exception& exception : kExceptions) {
    auto& of = words[static_cast<size_t>(exception.kind)][FamilyOf(exception.tres)];
    of = {std::string(exception.association), std::string(exception.qos)};
  }
  return words;
}

constexpr absl::string_view kFirstTres[] = {"cpu", "mem", "energy", "node", "billing"};

size_t PlaceOf(absl::string_view tres) {
  return std::find(std::begin(kFirstTres), std::end(kFirstTres), tres) - std::begin(kFirstTres);
}

}  // namespace

const LimitRule& RuleOf(LimitKind kind) { return kRules[static_cast<size_t>(kind)]; }

bool TresBefore(absl::string_view a, absl::string_view b) {
  return std::make_pair(PlaceOf(a), a) < std::make_pair(PlaceOf(b), b);
}

absl::string_view LimitWord(LimitKind kind, bool of_qos, absl::string_view tres) {
  static const auto* const words = new Words(MakeWords());
  return (*words)[static_cast<size_t>(kind)][FamilyOf(tres)][of_qos ? 1 : 0];
}

}  // namespace priorityd::priority
