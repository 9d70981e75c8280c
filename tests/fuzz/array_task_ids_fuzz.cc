#include <string>

#include "server/slurm/array_task_ids.h"
#include "tests/fuzz/check.h"

namespace priorityd::slurm {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const std::string text = FuzzText(data, size);
  const auto tasks = CountArrayTasks(text);
  if (tasks.ok()) {
    Check(*tasks >= 1 && *tasks <= kMaxArrayTaskId + 1, "there are as many tasks as ids at most");
  } else if (IsValidUtf8(text)) {
    // A proto's text always is.
    Check(IsValidUtf8(std::string(tasks.status().message())), "messages are UTF-8");
  }
  return 0;
}

}  // namespace
}  // namespace priorityd::slurm

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::slurm::RunOne(data, size);
}
