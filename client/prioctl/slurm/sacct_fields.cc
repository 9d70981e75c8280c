#include "client/prioctl/slurm/sacct_fields.h"

#include <pwd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/prioctl/slurm/accounting_text.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/text.h"
#include "client/slurm/tables/report_time.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/closest_word.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

using Job = AccountedJob;

SlurmCell WholeCell(double number) { return WholeAmount{std::round(number)}; }

SlurmCell Percent(double part) {
  return part < 0 ? std::string() : absl::StrFormat("%.2f%%", 100 * part);
}

// A cell of the job's accounting data, by a function of the job.
template <auto kText>
SlurmCell AccountingCell(const Job& job) {
  return job.run == nullptr ? "" : kText(job.run->accounting);
}

std::string TotalCpuText(const v1::JobAccounting& job) {
  return job.has_total_cpu() ? ElapsedText(tables::TotalCpuSeconds(job)) : "";
}

using Tres = std::map<std::string, double>;

Tres AllocTresOf(const Job& job) {
  Tres tres;
  for (const auto& [name, seconds] : job.used.tres_seconds()) tres[name] = job.Held(name);
  return tres;
}

// The allocated TRES, except where the ledger has a different request.
Tres ReqTresOf(const Job& job) {
  Tres tres = AllocTresOf(job);
  if (job.run != nullptr && job.run->accounting.has_req_cpus())
    tres["cpu"] = job.run->accounting.req_cpus();
  if (job.run != nullptr && job.run->accounting.has_req_mem())
    tres["mem"] = job.run->accounting.req_mem();
  return tres;
}

template <Tres (*kTres)(const Job&)>
SlurmCell TresCell(const Job& job) {
  std::string text;
  for (const auto& [name, held] : kTres(job)) {
    if (held == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ",", name, "=",
                    name == "mem"       ? slurm::MegabytesText(numbers::RoundedWhole(held))
                    : name == "billing" ? absl::StrFormat("%.0f", std::floor(held * (1 + 1e-12)))
                                        : NumberText(held));
  }
  return text;
}

SlurmCell ReqMemCell(const Job& job) {
  const double memory = ReqTresOf(job)["mem"];
  return memory == 0 ? "" : slurm::MegabytesText(numbers::RoundedWhole(memory));
}

SlurmCell NodeListCell(const Job& job) {
  if (job.run != nullptr && !job.run->accounting.node_list().empty())
    return job.run->accounting.node_list();
  return job.tracked == nullptr ? "" : job.tracked->job().node_list();
}

// Of the user database of this host, as squeue has it here.
SlurmCell UidCell(const Job& job) {
  const passwd* entry = getpwnam(job.used.user().c_str());
  if (entry == nullptr) return "";
  return uint64_t{entry->pw_uid};
}

// Steps have tasks, jobs have none; a frontend reports no group.
SlurmCell BlankCell(const Job&) { return ""; }

std::string MomentText(const google::protobuf::Timestamp& time, absl::TimeZone zone) {
  return tables::ReportTimeText(absl::FromUnixSeconds(time.seconds()), zone);
}

// A time of the last run; sacct's word if it was not recorded.
template <auto kHas, auto kTime>
SlurmCell AccountingTimeCell(const Job& job) {
  if (job.run == nullptr || !(job.run->accounting.*kHas)()) return "Unknown";
  return MomentText((job.run->accounting.*kTime)(), job.zone);
}

SlurmCell StateCell(const Job& job) {
  if (job.tracked == nullptr) return job.run == nullptr ? "" : job.run->accounting.state();
  return std::string(
      absl::StripPrefix(v1::JobState_Name(job.tracked->job().state()), "JOB_STATE_"));
}

double Cpus(const Job& job) { return job.Held("cpu"); }

// Names and widths as sacct has them.
const AccountingField kAccountingFields[] = {
    {{"Account", 10}, [](const Job& job) -> SlurmCell { return job.used.account(); }},
    {{"AllocCPUS", 10}, [](const Job& job) { return WholeCell(Cpus(job)); }},
    {{"AllocNodes", 10}, [](const Job& job) { return WholeCell(job.Held("node")); }},
    {{"AllocTRES", 10}, TresCell<&AllocTresOf>},
    {{"Cluster", 10}, [](const Job& job) -> SlurmCell { return job.cluster; }},
    {{"CPUEff", 7},
     [](const Job& job) { return Percent(job.run == nullptr ? -1 : job.run->CpuEfficiency()); }},
    {{"CPUTime", 10},
     [](const Job& job) -> SlurmCell { return ElapsedText(Cpus(job) * job.wall()); }},
    {{"CPUTimeRAW", 10}, [](const Job& job) { return WholeCell(Cpus(job) * job.wall()); }},
    {{"Elapsed", 10}, [](const Job& job) -> SlurmCell { return ElapsedText(job.wall()); }},
    {{"ElapsedRaw", 10}, [](const Job& job) { return WholeCell(job.wall()); }},
    {{"Eligible", 19},
     AccountingTimeCell<&v1::JobAccounting::has_eligible_time, &v1::JobAccounting::eligible_time>},
    {{"End", 19},
     [](const Job& job) -> SlurmCell { return MomentText(job.used.job_end_time(), job.zone); }},
    {{"ExitCode", 8}, AccountingCell<&ExitCodeText>},
    {{"GID", 6}, BlankCell},
    {{"Group", 9}, BlankCell},
    {{"JobID", 12, true}, [](const Job& job) -> SlurmCell { return job.used.job_id(); }},
    {{"JobIDRaw", 12, true}, [](const Job& job) -> SlurmCell { return job.used.job_id(); }},
    {{"JobName", 10},
     [](const Job& job) -> SlurmCell {
       return job.tracked == nullptr ? "" : job.tracked->job().name();
     }},
    {{"MaxRSS", 10}, AccountingCell<&MaxRssText>},
    {{"MemEff", 7},
     [](const Job& job) { return Percent(job.run == nullptr ? -1 : job.run->MemoryEfficiency()); }},
    {{"NCPUS", 10}, [](const Job& job) { return WholeCell(Cpus(job)); }},
    {{"NNodes", 8}, [](const Job& job) { return WholeCell(job.Held("node")); }},
    {{"NodeList", 15}, NodeListCell},
    {{"NTasks", 8}, BlankCell},
    {{"Partition", 10}, [](const Job& job) -> SlurmCell { return job.used.partition(); }},
    {{"QOS", 10}, [](const Job& job) -> SlurmCell { return job.used.qos(); }},
    {{"ReqCPUS", 8}, [](const Job& job) { return WholeCell(ReqTresOf(job)["cpu"]); }},
    {{"ReqMem", 10}, ReqMemCell},
    {{"ReqTRES", 10}, TresCell<&ReqTresOf>},
    {{"Start", 19},
     [](const Job& job) -> SlurmCell { return MomentText(job.used.job_start_time(), job.zone); }},
    {{"State", 10}, StateCell},
    {{"Submit", 19},
     AccountingTimeCell<&v1::JobAccounting::has_submit_time, &v1::JobAccounting::submit_time>},
    {{"Timelimit", 10}, AccountingCell<&TimeLimitText>},
    {{"TotalCPU", 10}, AccountingCell<&TotalCpuText>},
    {{"UID", 6}, UidCell},
    {{"User", 9}, [](const Job& job) -> SlurmCell { return job.used.user(); }},
};

}  // namespace

absl::StatusOr<std::vector<AccountingField>> ParseAccountingFormat(const std::string& format) {
  std::vector<AccountingField> fields;
  for (const absl::string_view text : absl::StrSplit(format, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('%', 1));
    const auto* known = std::find_if(std::begin(kAccountingFields), std::end(kAccountingFields),
                                     [&](const AccountingField& field) {
                                       return absl::EqualsIgnoreCase(
                                           field.field.name, absl::StripAsciiWhitespace(parts[0]));
                                     });
    if (known == std::end(kAccountingFields)) {
      std::vector<std::string> names;
      for (const AccountingField& field : kAccountingFields) names.push_back(field.field.name);
      return OptionError(absl::StrCat("--format: got field \"", parts[0], "\"",
                                      slurm::WantOneOf(parts[0], names)));
    }
    AccountingField field = *known;
    int width = field.field.left ? -field.field.width : field.field.width;
    if (parts.size() > 1 &&
        (!absl::SimpleAtoi(parts[1], &width) || width == 0 || std::abs(width) > 1000)) {
      return OptionError(absl::StrCat("--format: got width \"", parts[1], "\", want 1 to 1000"));
    }
    field.field.width = std::abs(width);
    field.field.left = width < 0;
    fields.push_back(field);
  }
  if (fields.empty()) return OptionError("--format: got no field, want one at least");
  return fields;
}

}  // namespace priorityd::prioctl
