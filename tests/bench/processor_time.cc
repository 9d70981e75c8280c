#include "tests/bench/processor_time.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace priorityd::bench {
namespace {

constexpr double kNanosecond = 1e-9;

// Nanoseconds; 0 if the process has ended.
int64_t TimeOf(int process) {
  int64_t time = 0;
  std::ifstream(absl::StrCat("/proc/", process, "/schedstat")) >> time;
  return time;
}

void AddBelow(int process, std::map<int, int64_t>* times) {
  std::error_code ended;
  const std::filesystem::directory_iterator threads(absl::StrCat("/proc/", process, "/task"),
                                                    ended);
  for (const auto& thread : threads) {
    std::ifstream children(thread.path() / "children");
    for (int child; children >> child;) {
      (*times)[child] = TimeOf(child);
      AddBelow(child, times);
    }
  }
}

int64_t OwnTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

ProcessorStopwatch::Times ProcessorStopwatch::Now() {
  Times times;
  AddBelow(getpid(), &times.below);
  times.own = OwnTime();
  return times;
}

double ProcessorStopwatch::OwnSeconds() const {
  return static_cast<double>(OwnTime() - begin_.own) * kNanosecond;
}

double ProcessorStopwatch::SecondsBelow() const {
  int64_t sum = 0;
  for (const auto& [process, time] : Now().below) {
    const auto before = begin_.below.find(process);
    if (before != begin_.below.end()) sum += time - before->second;
  }
  return static_cast<double>(sum) * kNanosecond;
}

}  // namespace priorityd::bench
