#include "server/slurm/sacctmgr_dump_writer.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "server/slurm/dump_line.h"
#include "server/slurm/dump_options.h"
#include "server/slurm/time_string.h"

namespace priorityd::slurm {
namespace {

// Slurm's own dumps have minutes here.
std::string WallText(absl::Duration wall) {
  const int64_t minutes = absl::ToInt64Minutes(wall);
  return absl::Minutes(minutes) == wall ? absl::StrCat(minutes) : FormatTimeString(wall);
}

std::string LimitsText(const priority::TresMap& limits) {
  return absl::StrJoin(limits, ",", [](std::string* text, const auto& limit) {
    absl::StrAppend(text, limit.first, "=", static_cast<int64_t>(limit.second));
  });
}

// All digits of a double.
std::string RoundTripText(double value) { return absl::StrFormat("%.17g", value); }

// Puts a line together, option by option.
class LineWriter {
 public:
  LineWriter(absl::string_view kind, absl::string_view name)
      : text_(absl::StrCat(kind, " - ", DumpQuoted(name))) {}

  void Text(absl::string_view name, absl::string_view value) {
    if (!value.empty()) Always(name, DumpQuoted(value));
  }
  void Number(absl::string_view name, std::optional<uint32_t> value) {
    if (value.has_value()) Always(name, absl::StrCat(*value));
  }
  void Wall(absl::string_view name, std::optional<absl::Duration> value) {
    if (value.has_value()) Always(name, WallText(*value));
  }
  void Limits(absl::string_view name, const priority::TresMap& limits) {
    if (!limits.empty()) Always(name, DumpQuoted(LimitsText(limits)));
  }
  void Always(absl::string_view name, absl::string_view value) {
    absl::StrAppend(&text_, ":", name, "=", value);
  }
  std::string Line() const { return absl::StrCat(text_, "\n"); }

 private:
  std::string text_;
};

std::string AssociationLine(absl::string_view kind, absl::string_view name,
                            const DumpAssociation& line) {
  const priority::Association& association = line.association;
  LineWriter writer(kind, name);
  writer.Text("Partition", association.partition);
  writer.Text("DefaultAccount", line.default_account);
  writer.Text("AdminLevel", line.admin_level);
  writer.Text("Description", line.description);
  writer.Text("Organization", line.organization);
  writer.Number("Fairshare", association.raw_shares.value_or(kParentShares));
  writer.Number("GrpJobsAccrue", association.limits.grp_jobs_accrue);
  writer.Limits("GrpTRESMins", association.limits.grp_tres_mins);
  writer.Wall("GrpWall", association.limits.grp_wall);
  writer.Number("MaxJobsAccrue", association.limits.max_jobs_accrue);
  writer.Number("MaxSubmitJobs", association.limits.max_submit_jobs);
  writer.Number("Priority", association.priority);
  if (association.qos.has_value()) {
    writer.Always("QOS", DumpQuoted(absl::StrJoin(*association.qos, ",")));
  }
  writer.Text("DefaultQOS", association.default_qos.value_or(""));
  for (const DumpOption& option : line.other_options) {
    writer.Always(option.name, DumpQuoted(option.value));
  }
  return writer.Line();
}

std::string QosLine(const QosRow& row) {
  LineWriter writer("QOS", row.qos.name);
  writer.Number("Priority", row.qos.priority);
  writer.Always("UsageFactor", RoundTripText(row.qos.usage_factor));
  if (row.qos.usage_threshold.has_value()) {
    writer.Always("UsageThres", RoundTripText(*row.qos.usage_threshold));
  }
  writer.Limits("GrpTRESMins", row.grp_tres_mins);
  writer.Wall("GrpWall", row.grp_wall);
  writer.Number("MaxSubmitPU", row.max_submit_jobs_per_user);
  writer.Text("Flags", absl::StrJoin(row.flags, ","));
  writer.Text("Preempt", absl::StrJoin(row.qos.preempt, ","));
  for (const auto& [name, value] : row.others) writer.Text(name, value);
  return writer.Line();
}

}  // namespace

std::string WriteSacctmgrDump(const SacctmgrDump& dump) {
  std::string text;
  if (!dump.cluster.empty()) {
    absl::StrAppend(&text, AssociationLine("Cluster", dump.cluster, dump.root));
  }
  for (const QosRow& row : dump.qos) absl::StrAppend(&text, QosLine(row));
  std::string parent;
  for (const DumpAssociation& line : dump.associations) {
    if (line.parent_account != parent) {
      parent = line.parent_account;
      absl::StrAppend(&text, LineWriter("Parent", parent).Line());
    }
    const bool is_user = !line.association.user.empty();
    absl::StrAppend(
        &text, AssociationLine(is_user ? "User" : "Account",
                               is_user ? line.association.user : line.association.account, line));
  }
  return text;
}

}  // namespace priorityd::slurm
