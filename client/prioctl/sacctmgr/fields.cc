#include "client/prioctl/sacctmgr/fields.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/sacctmgr/words.h"
#include "engine/slurm/words/closest_word.h"

namespace priorityd::sacctmgr {
namespace {

constexpr int kWidest = 1000;

// Names, headings and widths are what Slurm 22.05's sacctmgr takes and prints. The first that a
// word is short for is meant. Leases is ours.
constexpr KnownField kFields[] = {
    {"Account", 3, "Account", 10, Shows::kAccount, "", ""},
    {"Action", 4, "Action", 20, Shows::kAction, "", ""},
    {"ActionRaw", 7, "ActionRaw", 10, Shows::kBlank, "", ""},
    {"Actor", 4, "Actor", 10, Shows::kActor, "", ""},
    {"AdminLevel", 2, "Admin", 9, Shows::kAdminLevel, "", ""},
    {"Allocated", 7, "% Allocated", 11, Shows::kBlank, "", ""},
    {"Associations", 2, "Assocs", 10, Shows::kBlank, "", ""},
    {"Classification", 3, "Class", 9, Shows::kBlank, "", ""},
    {"Clusters", 2, "Cluster", 10, Shows::kCluster, "", ""},
    {"ClusterNodes", 8, "Cluster Nodes", 20, Shows::kBlank, "", ""},
    {"Coordinators", 2, "Coord Accounts", 20, Shows::kCoordinators, "", ""},
    {"ControlHost", 8, "ControlHost", 15, Shows::kBlank, "", ""},
    {"ControlPort", 8, "ControlPort", 12, Shows::kZero, "", ""},
    {"Count", 3, "Count", 6, Shows::kBlank, "", ""},
    {"CountAllowed", 6, "# Allowed", 10, Shows::kBlank, "", ""},
    {"CountUsed", 6, "# Used", 10, Shows::kBlank, "", ""},
    {"CPUCount", 2, "CPU Cnt", 7, Shows::kBlank, "", ""},
    {"DefaultAccount", 8, "Def Acct", 10, Shows::kDefaultAccount, "", ""},
    {"DefaultQOS", 8, "Def QOS", 9, Shows::kText, "DefaultQOS", ""},
    {"DefaultWCKey", 8, "Def WCKey", 10, Shows::kBlank, "", ""},
    {"Description", 3, "Descr", 20, Shows::kText, "Description", ""},
    {"Duration", 2, "Duration", 13, Shows::kBlank, "", ""},
    {"Event", 2, "Event", 7, Shows::kBlank, "", ""},
    {"EventRaw", 6, "EventRaw", 8, Shows::kBlank, "", ""},
    {"FairShare", 2, "Share", 9, Shows::kShare, "Fairshare", ""},
    {"Features", 3, "Features", 20, Shows::kBlank, "", ""},
    {"Federation", 3, "Federation", 10, Shows::kBlank, "", ""},
    {"FedState", 4, "FedState", 12, Shows::kBlank, "", ""},
    {"FedStateRaw", 9, "FedStateRaw", 11, Shows::kBlank, "", ""},
    {"Flags", 2, "Flags", 20, Shows::kText, "Flags", ""},
    {"GraceTime", 3, "GraceTime", 10, Shows::kGrace, "GraceTime", ""},
    {"GrpCPUMins", 7, "GrpCPUMins", 11, Shows::kPart, "GrpTRESMins", "cpu"},
    {"GrpCPURunMins", 7, "GrpCPURunMins", 13, Shows::kPart, "GrpTRESRunMins", "cpu"},
    {"GrpCPUs", 6, "GrpCPUs", 8, Shows::kPart, "GrpTRES", "cpu"},
    {"GrpTRES", 7, "GrpTRES", 13, Shows::kText, "GrpTRES", ""},
    {"GrpTRESMins", 8, "GrpTRESMins", 13, Shows::kText, "GrpTRESMins", ""},
    {"GrpTRESRunMins", 8, "GrpTRESRunMins", 13, Shows::kText, "GrpTRESRunMins", ""},
    {"GrpJobs", 4, "GrpJobs", 7, Shows::kCount, "GrpJobs", ""},
    {"GrpJobsAccrue", 8, "GrpJobsAccrue", 13, Shows::kCount, "GrpJobsAccrue", ""},
    {"GrpMemory", 4, "GrpMem", 7, Shows::kPart, "GrpTRES", "mem"},
    {"GrpNodes", 4, "GrpNodes", 8, Shows::kPart, "GrpTRES", "node"},
    {"GrpSubmitJobs", 4, "GrpSubmit", 9, Shows::kCount, "GrpSubmitJobs|GrpSubmit", ""},
    {"GrpWall", 4, "GrpWall", 11, Shows::kWall, "GrpWall", ""},
    {"ID", 2, "ID", 6, Shows::kId, "", ""},
    {"Info", 2, "Info", 20, Shows::kInfo, "", ""},
    {"Leases", 2, "Leases", 60, Shows::kLeases, "", ""},
    {"LFT", 1, "LFT", 6, Shows::kBlank, "", ""},
    {"LimitFactor", 6, "LimitFactor", 11, Shows::kDecimal, "LimitFactor", ""},
    {"MaxCPUMinsPerJob", 7, "MaxCPUMins", 11, Shows::kPart, "MaxTRESMinsPerJob|MaxTRESMins", "cpu"},
    {"MaxCPURunMinsPerUser", 7, "MaxCPURunMinsPU", 15, Shows::kPart,
     "MaxTRESRunMinsPU|MaxTRESRunMinsPerUser", "cpu"},
    {"MaxCPUsPerJob", 7, "MaxCPUs", 8, Shows::kPart, "MaxTRESPerJob|MaxTRES", "cpu"},
    {"MaxCPUsPerUser", 11, "MaxCPUsPU", 9, Shows::kPart, "MaxTRESPU|MaxTRESPerUser", "cpu"},
    {"MaxTRES", 7, "MaxTRES", 13, Shows::kText, "MaxTRESPerJob|MaxTRES", ""},
    {"MaxTRESPerJob", 11, "MaxTRES", 13, Shows::kText, "MaxTRESPerJob|MaxTRES", ""},
    {"MaxTRESMinsPerJob", 8, "MaxTRESMins", 13, Shows::kText, "MaxTRESMinsPerJob|MaxTRESMins", ""},
    {"MaxTRESPerNode", 11, "MaxTRESPerNode", 14, Shows::kText, "MaxTRESPerNode", ""},
    {"MaxTRESPU", 9, "MaxTRESPU", 13, Shows::kText, "MaxTRESPU|MaxTRESPerUser", ""},
    {"MaxTRESPerUser", 11, "MaxTRESPU", 13, Shows::kText, "MaxTRESPU|MaxTRESPerUser", ""},
    {"MaxTRESPA", 9, "MaxTRESPA", 13, Shows::kText, "MaxTRESPA|MaxTRESPerAccount", ""},
    {"MaxTRESPerAccount", 11, "MaxTRESPA", 13, Shows::kText, "MaxTRESPA|MaxTRESPerAccount", ""},
    {"MaxTRESRunMinsPU", 16, "MaxTRESRunMinsPU", 15, Shows::kText,
     "MaxTRESRunMinsPU|MaxTRESRunMinsPerUser|MaxTRESRunMins", ""},
    {"MaxTRESRunMinsPerUser", 18, "MaxTRESRunMinsPU", 15, Shows::kText,
     "MaxTRESRunMinsPU|MaxTRESRunMinsPerUser|MaxTRESRunMins", ""},
    {"MaxTRESRunMinsPerAccount", 8, "MaxTRESRunMinsPA", 15, Shows::kText,
     "MaxTRESRunMinsPA|MaxTRESRunMinsPerAccount", ""},
    {"MaxTRESRunMinsPA", 16, "MaxTRESRunMinsPA", 15, Shows::kText,
     "MaxTRESRunMinsPA|MaxTRESRunMinsPerAccount", ""},
    {"MaxJobs", 4, "MaxJobs", 7, Shows::kCount, "MaxJobs", ""},
    {"MaxJobsAccrue", 8, "MaxJobsAccrue", 13, Shows::kCount, "MaxJobsAccrue", ""},
    {"MaxJobsAccruePA", 15, "MaxJobsAccruePA", 15, Shows::kCount,
     "MaxJobsAccruePA|MaxJobsAccruePerAccount", ""},
    {"MaxJobsAccruePerAccount", 17, "MaxJobsAccruePA", 15, Shows::kCount,
     "MaxJobsAccruePA|MaxJobsAccruePerAccount", ""},
    {"MaxJobsAccruePU", 15, "MaxJobsAccruePU", 15, Shows::kCount,
     "MaxJobsAccruePU|MaxJobsAccruePerUser", ""},
    {"MaxJobsAccruePerUser", 17, "MaxJobsAccruePU", 15, Shows::kCount,
     "MaxJobsAccruePU|MaxJobsAccruePerUser", ""},
    {"MaxJobsPA", 9, "MaxJobsPA", 9, Shows::kCount, "MaxJobsPA|MaxJobsPerAccount", ""},
    {"MaxJobsPerAccount", 11, "MaxJobsPA", 9, Shows::kCount, "MaxJobsPA|MaxJobsPerAccount", ""},
    {"MaxJobsPU", 9, "MaxJobsPU", 9, Shows::kCount, "MaxJobsPU|MaxJobsPerUser", ""},
    {"MaxJobsPerUser", 11, "MaxJobsPU", 9, Shows::kCount, "MaxJobsPU|MaxJobsPerUser", ""},
    {"MaxNodesPerJob", 4, "MaxNodes", 8, Shows::kPart, "MaxTRESPerJob|MaxTRES", "node"},
    {"MaxNodesPerUser", 12, "MaxNodesPU", 10, Shows::kPart, "MaxTRESPU|MaxTRESPerUser", "node"},
    {"MaxSubmitJobs", 4, "MaxSubmit", 9, Shows::kCount, "MaxSubmitJobs|MaxSubmit", ""},
    {"MaxSubmitPA", 11, "MaxSubmitPA", 11, Shows::kCount,
     "MaxSubmitPA|MaxSubmitJobsPA|MaxSubmitJobsPerAccount", ""},
    {"MaxSubmitJobsPA", 15, "MaxSubmitPA", 11, Shows::kCount,
     "MaxSubmitPA|MaxSubmitJobsPA|MaxSubmitJobsPerAccount", ""},
    {"MaxSubmitJobsPerAccount", 17, "MaxSubmitPA", 11, Shows::kCount,
     "MaxSubmitPA|MaxSubmitJobsPA|MaxSubmitJobsPerAccount", ""},
    {"MaxSubmitPU", 10, "MaxSubmitPU", 11, Shows::kCount,
     "MaxSubmitPU|MaxSubmitJobsPU|MaxSubmitJobsPerUser", ""},
    {"MaxSubmitJobsPU", 14, "MaxSubmitPU", 11, Shows::kCount,
     "MaxSubmitPU|MaxSubmitJobsPU|MaxSubmitJobsPerUser", ""},
    {"MaxSubmitJobsPerUser", 14, "MaxSubmitPU", 11, Shows::kCount,
     "MaxSubmitPU|MaxSubmitJobsPU|MaxSubmitJobsPerUser", ""},
    {"MaxWallDurationPerJob", 4, "MaxWall", 11, Shows::kWall,
     "MaxWallDurationPerJob|MaxWall|MaxWallDuration", ""},
    {"MinCPUsPerJob", 7, "MinCPUs", 8, Shows::kPart, "MinTRES|MinTRESPerJob", "cpu"},
    {"MinTRESPerJob", 7, "MinTRES", 13, Shows::kText, "MinTRES|MinTRESPerJob", ""},
    {"MinPrioThreshold", 4, "MinPrioThres", 12, Shows::kCount,
     "MinPrioThres|MinPrioThresh|MinPrioThreshold", ""},
    {"Name", 2, "Name", 10, Shows::kName, "", ""},
    {"NodeCount", 5, "NodeCount", 9, Shows::kBlank, "", ""},
    {"NodeInx", 5, "NodeInx", 9, Shows::kBlank, "", ""},
    {"NodeNames", 5, "NodeName", 15, Shows::kBlank, "", ""},
    {"Organization", 1, "Org", 20, Shows::kText, "Organization", ""},
    {"ParentID", 7, "ParentID", 8, Shows::kParentId, "", ""},
    {"ParentName", 7, "ParentName", 10, Shows::kParentName, "", ""},
    {"Partition", 4, "Partition", 10, Shows::kPartition, "", ""},
    {"PluginIDSelect", 2, "PluginIDSelect", 14, Shows::kBlank, "", ""},
    {"PreemptMode", 8, "PreemptMode", 11, Shows::kPreemptMode, "PreemptMode", ""},
    {"Preempt", 7, "Preempt", 10, Shows::kList, "Preempt", ""},
    {"PreemptExemptTime", 8, "PreemptExemptTime", 19, Shows::kWall, "PreemptExemptTime", ""},
    {"Priority", 3, "Priority", 10, Shows::kCount, "Priority", ""},
    {"Problem", 1, "Problem", 40, Shows::kProblem, "", ""},
    {"QOSLevel", 3, "QOS", 20, Shows::kList, "QOS", ""},
    {"QOSRAWLevel", 4, "QOS_RAW", 10, Shows::kBlank, "", ""},
    {"Reason", 1, "Reason", 30, Shows::kBlank, "", ""},
    {"RGT", 2, "RGT", 6, Shows::kBlank, "", ""},
    {"RPC", 2, "RPC", 5, Shows::kZero, "", ""},
    {"Share", 1, "Share", 9, Shows::kShare, "Fairshare", ""},
    {"Server", 3, "Server", 10, Shows::kBlank, "", ""},
    {"ServerType", 10, "ServerType", 10, Shows::kBlank, "", ""},
    {"State", 2, "State", 6, Shows::kBlank, "", ""},
    {"StateRaw", 6, "StateRaw", 8, Shows::kBlank, "", ""},
    {"TimeStamp", 2, "Time", 19, Shows::kTime, "", ""},
    {"TimeEligible", 6, "TimeEligible", 19, Shows::kBlank, "", ""},
    {"TimeEnd", 6, "TimeEnd", 19, Shows::kBlank, "", ""},
    {"TimeStart", 8, "TimeStart", 19, Shows::kBlank, "", ""},
    {"TimeSubmit", 6, "TimeSubmit", 19, Shows::kBlank, "", ""},
    {"TRES", 2, "TRES", 20, Shows::kClusterTres, "", ""},
    {"Type", 2, "Type", 8, Shows::kBlank, "", ""},
    {"UnusedWall", 2, "UnusedWall", 10, Shows::kBlank, "", ""},
    {"UsageFactor", 6, "UsageFactor", 11, Shows::kDecimal, "UsageFactor", ""},
    {"UsageThreshold", 6, "UsageThres", 10, Shows::kDecimal, "UsageThres|UsageThreshold", ""},
    {"User", 1, "User", 10, Shows::kUser, "", ""},
    {"WCKeys", 2, "WCKeys", 20, Shows::kBlank, "", ""},
    {"Where", 2, "Where", 20, Shows::kWhere, "", ""},
};

std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  for (const KnownField& field : kFields) names.emplace_back(field.name);
  return names;
}

absl::Status SetWidth(absl::string_view text, Field& field) {
  int width = 0;
  if (!absl::SimpleAtoi(text, &width) || width == 0 || std::abs(width) > kWidest) {
    return absl::InvalidArgumentError(absl::StrCat("format: got width \"", text, "\", want 1 to ",
                                                   kWidest, ", or -1 to -", kWidest,
                                                   " for text on the left"));
  }
  field.width = std::abs(width);
  field.left = width < 0;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Field>> ParseFormat(absl::string_view format) {
  std::vector<Field> fields;
  for (absl::string_view item : absl::StrSplit(format, ',')) {
    item = absl::StripAsciiWhitespace(item);
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits('%', 1));
    const auto* known = std::find_if(
        std::begin(kFields), std::end(kFields),
        [&](const KnownField& field) { return IsShortFor(parts.first, field.name, field.least); });
    if (known == std::end(kFields)) {
      return absl::InvalidArgumentError(absl::StrCat("format: got the field \"", parts.first, "\"",
                                                     slurm::WantOneOf(parts.first, KnownNames())));
    }
    fields.push_back({.known = known, .width = known->width});
    if (parts.first.size() == item.size()) continue;
    if (absl::Status set = SetWidth(parts.second, fields.back()); !set.ok()) return set;
  }
  return fields;
}

}  // namespace priorityd::sacctmgr
