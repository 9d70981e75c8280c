#include "server/administration/settings/qos_settings.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/errors/violations.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/dump/qos_words.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/settings/list_setting.h"
#include "server/administration/settings/to_storage.h"
#include "server/configuration/stored_rows.h"

namespace priorityd::administration {
namespace {

void Store(const slurm::QosRow& row, storage::Qos* qos) {
  qos->priority = row.qos.priority;
  qos->usage_factor = row.qos.usage_factor;
  qos->usage_threshold = row.qos.usage_threshold;
  qos->preempt = row.qos.preempt;
  qos->flags = row.flags;
  qos->grp_tres_mins = ToStorage(row.grp_tres_mins);
  qos->grp_wall_minutes = ToMinutes(row.grp_wall);
  qos->max_submit_jobs_per_user = row.max_submit_jobs_per_user;
  qos->other_limits.clear();
  for (const auto& [name, value] : row.others) qos->other_limits.push_back({name, value});
}

// Whether it is RawUsage or, as in sacctmgr, an abbreviation of at least seven letters.
bool IsRawUsage(absl::string_view word) {
  return word.size() >= 7 && absl::StartsWithIgnoreCase("RawUsage", word);
}

absl::Status TakeRawUsage(const Setting& setting, bool* resets_usage) {
  if (setting.op != SettingOperator::kSet || setting.value != "0") {
    return slurm::Unexpected(setting.value, "=0, to which usage can be reset");
  }
  *resets_usage = true;
  return absl::OkStatus();
}

absl::Status ApplySetting(const Setting& setting, const std::string& field,
                          errors::Violations* violations, slurm::QosRow* row) {
  const auto word = slurm::FindQosWord({setting.name.data(), setting.name.size()});
  if (!word.ok()) {
    violations->Add(field + ".name", word.status().message());
    return absl::OkStatus();
  }
  if (setting.op != SettingOperator::kSet && word->kind != slurm::QosWordKind::kNames) {
    violations->Add(field + ".operator", absl::StrCat("got += or -= for ", word->name, ", want ="));
    return absl::OkStatus();
  }
  const std::string present = slurm::QosCell(*word, *row);
  std::string text = setting.value == "-1" ? "" : setting.value;
  if (word->kind == slurm::QosWordKind::kNames) text = ChangedNames(present, setting);
  if (word->kind == slurm::QosWordKind::kTres) text = ChangedLimits(present, setting.value);
  return slurm::SetQosCell(*word, text, *row);
}

// Whether `from` can preempt `name`, directly or indirectly.
bool Reaches(const std::map<std::string, const storage::Qos*>& all, const storage::Qos& from,
             const std::string& name, std::map<std::string, bool>* seen) {
  for (const std::string& next : from.preempt) {
    if (next == name) return true;
    if (!seen->emplace(next, true).second) continue;
    const auto found = all.find(next);
    if (found != all.end() && Reaches(all, *found->second, name, seen)) return true;
  }
  return false;
}

}  // namespace

slurm::QosRow RowOf(const storage::Qos& qos) {
  slurm::QosRow row;
  row.qos = configuration::ToEngine(qos);
  row.grp_tres_mins = configuration::ToEngine(qos.grp_tres_mins);
  if (qos.grp_wall_minutes.has_value()) {
    row.grp_wall = absl::Seconds(numbers::RoundedWhole(*qos.grp_wall_minutes * 60));
  }
  if (qos.max_submit_jobs_per_user.has_value()) {
    row.max_submit_jobs_per_user = static_cast<uint32_t>(*qos.max_submit_jobs_per_user);
  }
  row.flags = qos.flags;
  for (const storage::KeyValue& limit : qos.other_limits) {
    row.others.emplace_back(limit.key, limit.value);
  }
  return row;
}

Attributes AttributesOf(const storage::Qos& qos) { return slurm::QosCells(RowOf(qos)); }

absl::Status ApplySettings(const std::vector<Setting>& settings, storage::Qos* qos,
                           bool* resets_usage) {
  slurm::QosRow row = RowOf(*qos);
  errors::Violations violations;
  for (size_t i = 0; i < settings.size(); ++i) {
    const std::string field = absl::StrCat("settings[", i, "]");
    const bool is_reset = resets_usage != nullptr && IsRawUsage(settings[i].name);
    const absl::Status applied = is_reset ? TakeRawUsage(settings[i], resets_usage)
                                          : ApplySetting(settings[i], field, &violations, &row);
    if (!applied.ok()) violations.Add(field + ".value", applied.message());
  }
  if (violations.empty()) Store(row, qos);
  return violations.ToStatus();
}

absl::Status CheckPreempt(const std::vector<storage::Qos>& all,
                          const std::vector<std::string>& names) {
  std::map<std::string, const storage::Qos*> by_name;
  for (const storage::Qos& qos : all) by_name[qos.name] = &qos;
  errors::Violations violations;
  for (const storage::Qos& qos : all) {
    if (!absl::c_linear_search(names, qos.name)) continue;
    for (const std::string& name : qos.preempt) {
      if (by_name.contains(name)) continue;
      violations.Add("settings", absl::StrCat("Preempt of QOS ", qos.name, ": got ",
                                              slurm::Quoted(name), ", want an existing QOS"));
    }
    std::map<std::string, bool> seen;
    if (!Reaches(by_name, qos, qos.name, &seen)) continue;
    violations.Add("settings", absl::StrCat("Preempt of QOS ", qos.name,
                                            ": got a list by which the QOS preempts itself, "
                                            "directly or indirectly, want one without a cycle"));
  }
  return violations.ToStatus();
}

}  // namespace priorityd::administration
