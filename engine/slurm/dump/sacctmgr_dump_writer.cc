#include "engine/slurm/dump/sacctmgr_dump_writer.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

// Slurm's dumps have minutes here.
std::string WallText(absl::Duration wall) {
  const int64_t minutes = absl::ToInt64Minutes(wall);
  return absl::Minutes(minutes) == wall ? absl::StrCat(minutes) : FormatTimeString(wall);
}

// Builds a line option by option.
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
    if (!limits.empty()) Always(name, DumpQuoted(TresText(limits)));
  }
  void Always(absl::string_view name, absl::string_view value) {
    absl::StrAppend(&text_, ":", name, "=", value);
  }
  std::string Line() const { return absl::StrCat(text_, "\n"); }

 private:
  std::string text_;
};

bool IsQuoted(WordKind kind) { return kind != WordKind::kShares && kind != WordKind::kCount; }

std::string AssociationLine(absl::string_view kind, absl::string_view name,
                            const DumpAssociation& line) {
  LineWriter writer(kind, name);
  for (const AssociationWord& word : AssociationWords()) {
    const std::optional<std::string> value = word.text == nullptr ? std::nullopt : word.text(line);
    if (!value.has_value()) continue;
    writer.Always(word.name, IsQuoted(word.kind) ? DumpQuoted(*value) : *value);
  }
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
