#include "client/prioctl/jobs/association_sheet.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

using Attributes = google::protobuf::Map<std::string, std::string>;

constexpr char kIndent[] = "\n    ";
constexpr char kNoLimit[] = "N";

std::string Value(const Attributes& attributes, const std::string& word,
                  const std::string& without = "") {
  const auto found = attributes.find(word);
  return found == attributes.end() || found->second.empty() ? without : found->second;
}

// `GrpJobs=N`, `GrpJobs=4`
std::string Limit(const Attributes& attributes, const std::string& word) {
  return absl::StrCat(word, "=", Value(attributes, word, kNoLimit));
}

// Slurm's own first, in the order of its numbers.
bool ComesBefore(const std::string& a, const std::string& b) {
  static constexpr absl::string_view kFirst[] = {"cpu",     "mem",     "energy", "node",
                                                 "billing", "fs/disk", "vmem",   "pages"};
  const auto place = [](const std::string& name) {
    return std::find(std::begin(kFirst), std::end(kFirst), name) - std::begin(kFirst);
  };
  return std::pair(place(a), a) < std::pair(place(b), b);
}

// `cpu=100(68),mem=N(68266)`: limits, and what is used of them, each in TRES-minutes.
std::string UsedTres(const std::string& limits,
                     const google::protobuf::Map<std::string, double>& used) {
  std::vector<std::pair<std::string, std::string>> given;
  for (absl::string_view part : absl::StrSplit(limits, ',', absl::SkipEmpty())) {
    given.push_back(absl::StrSplit(part, absl::MaxSplits('=', 1)));
  }
  std::vector<std::string> names;
  for (const auto& [name, limit] : given) names.push_back(name);
  for (const auto& [name, seconds] : used) names.push_back(name);
  std::sort(names.begin(), names.end(), ComesBefore);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return absl::StrJoin(names, ",", [&](std::string* out, const std::string& name) {
    const auto limit = std::find_if(given.begin(), given.end(),
                                    [&](const auto& one) { return one.first == name; });
    const auto seconds = used.find(name);
    const double minutes = seconds == used.end() ? 0 : std::floor(seconds->second / 60);
    absl::StrAppendFormat(out, "%s=%s(%.0f)", name, limit == given.end() ? kNoLimit : limit->second,
                          minutes);
  });
}

std::string Shares(const v1::AssociationShare& share) {
  const std::string raw = share.parent_shares() ? "parent" : absl::StrCat(share.raw_shares());
  return absl::StrFormat("SharesRaw/Norm/Level/Factor=%s/%.2f/%.0f/%.2f", raw, share.norm_shares(),
                         share.level_shares(), share.fair_share());
}

}  // namespace

std::string UserSheet(const v1::ClusterUser& user) {
  const std::string level = user.admin_level() == "None" ? "Not Set" : user.admin_level();
  return absl::StrCat("UserName=", user.name(), " DefAccount=", user.default_account(),
                      " AdminLevel=", level, "\n");
}

std::string AssociationSheet(const std::string& cluster, const v1::Association& association,
                             const v1::AssociationShare& share, const v1::ClusterUser* user,
                             int64_t parent_id) {
  const Attributes& set = association.attributes();
  const bool is_account = association.user().empty();
  const bool has_parent = is_account && !association.parent_account().empty();
  const bool is_default = user != nullptr && user->default_account() == association.account();
  const double wall = static_cast<double>(share.wall_usage().seconds()) / 60;
  return absl::StrCat(
      "ClusterName=", cluster, " Account=", association.account(), " UserName=", association.user(),
      " Partition=", association.partition(), " Priority=", Value(set, "Priority", "0"),
      " ID=", association.id(), kIndent, Shares(share), kIndent,
      absl::StrFormat("UsageRaw/Norm/Efctv=%.2f/%.2f/%.2f", share.raw_usage(), share.norm_usage(),
                      share.effective_usage()),
      kIndent, "ParentAccount=",
      has_parent ? absl::StrCat(association.parent_account(), "(", parent_id, ")") : "",
      " DefAssoc=", is_default ? "Yes" : "No", kIndent, Limit(set, "GrpJobs"), " ",
      Limit(set, "GrpJobsAccrue"), kIndent, Limit(set, "GrpSubmitJobs"),
      absl::StrFormat(" %s(%.2f)", Limit(set, "GrpWall"), wall), kIndent,
      "GrpTRES=", Value(set, "GrpTRES"), kIndent,
      "GrpTRESMins=", UsedTres(Value(set, "GrpTRESMins"), share.tres_usage()), kIndent,
      "GrpTRESRunMins=", Value(set, "GrpTRESRunMins"), kIndent, "MaxJobs=", Value(set, "MaxJobs"),
      " MaxJobsAccrue=", Value(set, "MaxJobsAccrue"),
      " MaxSubmitJobs=", Value(set, "MaxSubmitJobs"),
      " MaxWallPJ=", Value(set, "MaxWallDurationPerJob"), kIndent,
      "MaxTRESPJ=", Value(set, "MaxTRESPerJob"), kIndent,
      "MaxTRESPN=", Value(set, "MaxTRESPerNode"), kIndent,
      "MaxTRESMinsPJ=", Value(set, "MaxTRESMinsPerJob"), kIndent,
      "MinPrioThresh=", Value(set, "MinPrioThreshold"), "\n");
}

std::string QosSheet(const v1::Qos& qos) {
  const Attributes& set = qos.attributes();
  return absl::StrCat(
      "QOS=", qos.name(), "(", qos.id(), ")", kIndent, Limit(set, "GrpJobs"), " ",
      Limit(set, "GrpJobsAccrue"), " GrpSubmitJobs=", Value(set, "GrpSubmit", kNoLimit), " ",
      Limit(set, "GrpWall"), kIndent, "GrpTRES=", Value(set, "GrpTRES"), kIndent,
      "GrpTRESMins=", Value(set, "GrpTRESMins"), kIndent,
      "GrpTRESRunMins=", Value(set, "GrpTRESRunMins"), kIndent, "MaxWallPJ=", Value(set, "MaxWall"),
      kIndent, "MaxTRESPJ=", Value(set, "MaxTRES"), kIndent,
      "MaxTRESPN=", Value(set, "MaxTRESPerNode"), kIndent,
      "MaxTRESMinsPJ=", Value(set, "MaxTRESMins"), kIndent,
      "MinPrioThresh=", Value(set, "MinPrioThresh"), kIndent, "MinTRESPJ=", Value(set, "MinTRES"),
      kIndent, "PreemptMode=", Value(set, "PreemptMode", "OFF"), kIndent,
      "Priority=", Value(set, "Priority", "0"), "\n");
}

}  // namespace priorityd::jobs
