#include "tests/bench/other_process.h"

#include <sys/resource.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

constexpr int kLowestPriority = 19;

}  // namespace

OtherProcess::OtherProcess(const std::string& arguments)
    : input_(popen(absl::StrCat("exec ", std::filesystem::read_symlink("/proc/self/exe").string(),
                                " ", arguments)
                       .c_str(),
                   "w")) {
  if (input_ == nullptr) Die("cannot start another process");
}

OtherProcess::~OtherProcess() {
  if (pclose(input_) != 0) Die("another process has failed");
}

void TakeLowestPriority() { setpriority(PRIO_PROCESS, 0, kLowestPriority); }

void AwaitEndOfInput() {
  while (std::getchar() != EOF) continue;
}

void Burn(int cpus) {
  std::atomic<bool> ends = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < cpus; ++i) {
    threads.emplace_back([&] {
      while (!ends) continue;
    });
  }
  AwaitEndOfInput();
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace priorityd::bench
