#include <string>

#include "engine/slurm/words/array_task_ids.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void RunOne(const std::string& text) {
  const auto tasks = CountArrayTasks(text);
  if (tasks.ok()) {
    Check(*tasks >= 1 && *tasks <= kMaxArrayTaskId + 1, "there are as many tasks as ids at most");
  } else if (IsValidUtf8(text)) {
    // A proto's text always is.
    Check(IsValidUtf8(std::string(tasks.status().message())), "messages are UTF-8");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"array_task_ids", RunOne});

}  // namespace
}  // namespace priorityd::slurm
