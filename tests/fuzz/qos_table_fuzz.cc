#include <string>
#include <vector>

#include "server/slurm/qos_table.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const absl::StatusOr<QosTable> table = ParseQosTable({"qos", FuzzText(data, size)});
  CheckStatus(table.status());
  if (!table.ok()) return 0;
  Check(table->HasColumn("Name"), "there is a Name column");
  for (const QosRow& row : table->rows) {
    Check(!row.qos.name.empty() && row.qos.usage_factor >= 0, "a QOS has a name and a factor");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
