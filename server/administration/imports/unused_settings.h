// The settings of a site's files, or of its stored configuration, without effect in priorityd.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_UNUSED_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_UNUSED_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/words/unused_setting.h"
#include "server/administration/imports/site_files.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The unused settings of all files, by class, then name.
std::vector<slurm::UnusedSetting> FindUnused(const SiteFiles& site);

// The unused settings of the stored QOS and associations, in the same order. Errors of the
// database.
absl::StatusOr<std::vector<slurm::UnusedSetting>> FindStoredUnused(
    storage::Transaction& transaction, int32_t cluster_id);

// Adds a violation for each that the rules do not accept, with its place as the field.
void CheckUnused(absl::Span<const slurm::UnusedSetting> unused, const UnusedRules& rules,
                 errors::Violations* violations);

// Adds the losses of a text, `slurm.conf line 14: ...`, as violations.
void AddLosses(absl::Span<const std::string> losses, errors::Violations* violations);

// The names of those that limit jobs or change numbers in Slurm, as one warning for each class.
std::vector<std::string> UnusedWarnings(absl::Span<const slurm::UnusedSetting> unused);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_UNUSED_SETTINGS_H_
