#include <string>
#include <vector>

#include "engine/slurm/dump/qos_table.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const absl::StatusOr<QosTable> table = ParseQosTable({"qos", text});
  CheckStatus(table.status());
  if (!table.ok()) return;
  Check(table->HasColumn("Name"), "there is a Name column");
  for (const QosRow& row : table->rows) {
    Check(!row.qos.name.empty() && row.qos.usage_factor >= 0, "a QOS has a name and a factor");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"qos_table", RunOne});

}  // namespace
}  // namespace priorityd::slurm
