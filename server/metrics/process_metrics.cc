#include "server/metrics/process_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "server/status/process_memory.h"
#include "version.h"

namespace priorityd::metrics {
namespace {

double CountOpenFiles() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  int entries = -3;  // `.`, `..` and the directory's own descriptor are not counted.
  while (readdir(folder) != nullptr) ++entries;
  closedir(folder);
  return entries;
}

double MostOpenFiles() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

double CpuSeconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The host's start time in seconds since the Unix epoch.
double BootTime() {
  std::ifstream stat("/proc/stat");
  for (std::string word; stat >> word;) {
    double time = 0;
    if (word == "btime" && stat >> time) return time;
  }
  return 0;
}

// The process's start in clock ticks after the host's: field 22. Field 2 is a name that may contain
// blanks.
int64_t StartTicks() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream rest(line.substr(line.rfind(')') + 1));
  for (int field = 3; field < 22; ++field) rest >> line;
  int64_t ticks = 0;
  rest >> ticks;
  return ticks;
}

double StartTime() {
  return BootTime() + static_cast<double>(StartTicks()) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

void AddProcess(Families* families) {
  static const double start_time = StartTime();
  const status::ProcessMemory memory = status::ReadProcessMemory();
  families->Gauge("priorityd_build_info", "Always 1; the version is a label")
      .Add(1, {{"version", kVersion}});
  families->Gauge("process_resident_memory_bytes", "Resident memory of the process")
      .Add(static_cast<double>(memory.resident_bytes));
  families->Gauge("process_virtual_memory_bytes", "Address space of the process")
      .Add(static_cast<double>(memory.virtual_bytes));
  families->Counter("process_cpu_seconds_total", "User and system CPU time").Add(CpuSeconds());
  families->Gauge("process_open_fds", "Open files and sockets").Add(CountOpenFiles());
  families->Gauge("process_max_fds", "Maximum open files and sockets").Add(MostOpenFiles());
  families->Gauge("process_start_time_seconds", "Start time of the process since the Unix epoch")
      .Add(start_time);
}

}  // namespace priorityd::metrics
