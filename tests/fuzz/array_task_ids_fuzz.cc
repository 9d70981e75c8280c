#include <cstdint>
#include <string>

#include "engine/slurm/words/array_task_ids.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::slurm {
namespace {

void CheckEach(const std::string& text, uint32_t tasks) {
  int64_t before = -1;
  uint32_t count = 0;
  ForEachArrayTask(text, [&](uint32_t task) {
    Check(task > before, "tasks are taken ascending, each once");
    before = task;
    return ++count <= tasks;
  });
  Check(count == tasks && LastArrayTask(text) == before, "as many are taken as are counted");
}

void RunOne(const std::string& text) {
  const auto tasks = CountArrayTasks(text);
  if (tasks.ok()) {
    Check(*tasks >= 1 && *tasks <= kMaxArrayTaskId + 1, "there are as many tasks as ids at most");
    if (*tasks <= 100'000) CheckEach(text, *tasks);
  } else if (IsValidUtf8(text)) {
    // A proto's text always is.
    Check(IsValidUtf8(std::string(tasks.status().message())), "messages are UTF-8");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"array_task_ids", RunOne});

}  // namespace
}  // namespace priorityd::slurm
