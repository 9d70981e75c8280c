#include "server/administration/imports/unused_settings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/dump/unused_options.h"
#include "server/administration/settings/qos_settings.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {
namespace {

using slurm::UnusedClass;
using slurm::UnusedSetting;

}  // namespace

std::vector<UnusedSetting> FindUnused(const SiteFiles& site) {
  slurm::UnusedSettings unused;
  if (site.slurm_conf.has_value()) unused.Add(site.slurm_conf->unused);
  if (site.qos.has_value()) {
    for (const slurm::QosRow& row : site.qos->rows) unused.Add(slurm::UnusedOf(row));
  }
  if (site.dump.has_value()) {
    for (const slurm::QosRow& row : site.dump->qos) unused.Add(slurm::UnusedOf(row));
    unused.Add(slurm::UnusedOf(site.dump->root));
    for (const slurm::DumpAssociation& line : site.dump->associations) {
      unused.Add(slurm::UnusedOf(line));
    }
  }
  return unused.Sorted();
}

absl::StatusOr<std::vector<UnusedSetting>> FindStoredUnused(storage::Transaction& transaction,
                                                            int32_t cluster_id) {
  slurm::UnusedSettings unused;
  const auto all_qos = storage::QosStore(transaction).List(cluster_id);
  if (!all_qos.ok()) return all_qos.status();
  for (const storage::Qos& qos : *all_qos) unused.Add(slurm::UnusedOf(RowOf(qos)));
  const auto options = storage::AssociationStore(transaction).ListOtherLimits(cluster_id);
  if (!options.ok()) return options.status();
  for (const storage::OtherLimit& option : *options) {
    auto setting = slurm::UnusedOption(option.name, option.value,
                                       slurm::AssociationPlace(option.account, option.user_name));
    if (!setting.has_value()) continue;
    setting->places = option.count;
    unused.Add(*std::move(setting));
  }
  return unused.Sorted();
}

void CheckUnused(absl::Span<const UnusedSetting> unused, const UnusedRules& rules,
                 errors::Violations* violations) {
  for (const UnusedSetting& setting : slurm::NotAccepted(unused, rules.accept)) {
    violations->Add(setting.place,
                    absl::StrCat(setting.name, ": got ", slurm::Quoted(setting.value),
                                 ", which changes numbers in Slurm and not here, want none, or it "
                                 "accepted (--accept ",
                                 setting.name, "). ", setting.effect));
  }
  if (!rules.strict) return;
  for (const UnusedSetting& setting : unused) {
    if (setting.unused_class != UnusedClass::kLimits) continue;
    violations->Add(setting.place,
                    absl::StrCat(setting.name, ": got ", slurm::Quoted(setting.value),
                                 ", which has no effect here. ", setting.effect));
  }
}

void AddLosses(absl::Span<const std::string> losses, errors::Violations* violations) {
  for (const std::string& loss : losses) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(loss, absl::MaxSplits(": ", 1));
    violations->Add(parts.first, parts.second);
  }
}

std::vector<std::string> UnusedWarnings(absl::Span<const UnusedSetting> unused) {
  std::vector<std::string> warnings;
  const std::string limits = slurm::UnusedNames(unused, UnusedClass::kLimits);
  if (!limits.empty()) {
    warnings.push_back(absl::StrCat("limit or refuse jobs in Slurm and not here: ", limits));
  }
  const std::string numbers = slurm::UnusedNames(unused, UnusedClass::kNumbers);
  if (!numbers.empty()) {
    warnings.push_back(absl::StrCat("change numbers in Slurm and not here: ", numbers));
  }
  return warnings;
}

}  // namespace priorityd::administration
