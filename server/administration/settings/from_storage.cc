#include "server/administration/settings/from_storage.h"

#include "server/configuration/stored_rows.h"

namespace priorityd::administration {

slurm::DumpAssociation FromStorage(const storage::Association& row) {
  slurm::DumpAssociation line;
  line.association = configuration::ToEngine(row);
  line.association.id = 0;
  line.association.parent_id = 0;
  line.description = row.description;
  line.organization = row.organization;
  for (const storage::KeyValue& limit : row.other_limits) {
    line.other_options.push_back({limit.key, limit.value});
  }
  return line;
}

slurm::DumpLineKind KindOf(const storage::Association& row) {
  if (!row.user_name.empty()) return slurm::DumpLineKind::kUser;
  return row.parent_id.has_value() ? slurm::DumpLineKind::kAccount : slurm::DumpLineKind::kCluster;
}

}  // namespace priorityd::administration
