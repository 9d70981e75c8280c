// The flags, columns and options of QOS and associations that Slurm acts on and priorityd does not.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_UNUSED_OPTIONS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_UNUSED_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {

// The unused settings of a QOS, with place `QOS normal`. Values without effect in Slurm are left
// out.
std::vector<UnusedSetting> UnusedOf(const QosRow& row);

// An option of an association, at `place`; nullopt = priorityd acts on it, or the value has no
// effect in Slurm.
std::optional<UnusedSetting> UnusedOption(absl::string_view name, absl::string_view value,
                                          absl::string_view place);

// The unused settings of a Cluster, Account or User line, with place `account chem` or `user ann of
// chem`.
std::vector<UnusedSetting> UnusedOf(const DumpAssociation& line);

// `account chem`, `user ann of chem`.
std::string AssociationPlace(absl::string_view account, absl::string_view user);

// Removes the flags that no Slurm from 14.11 to 25.11 has, and returns them.
std::vector<std::string> TakeUnknownFlags(QosRow& row);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_UNUSED_OPTIONS_H_
