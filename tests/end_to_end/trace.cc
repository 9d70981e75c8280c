#include "tests/end_to_end/trace.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "absl/strings/str_cat.h"

namespace priorityd {
namespace {

constexpr char kFile[] = "tests/testdata/traces/nasa_ipsc_1993.txt";
constexpr absl::Duration kShift = absl::Minutes(131);

std::vector<TraceJob> ReadOnce() {
  std::vector<TraceJob> jobs;
  std::ifstream file(kFile);
  absl::Time start = TraceBegin();
  int since_last, seconds, processors, user, group;
  while (file >> since_last >> seconds >> processors >> user >> group) {
    start += absl::Seconds(since_last);
    jobs.push_back({start, absl::Seconds(seconds), processors, absl::StrCat("u", user),
                    absl::StrCat("a", user), absl::StrCat("g", group)});
  }
  if (!jobs.empty() && file.eof()) return jobs;
  std::fprintf(stderr, "%s: cannot be read\n", kFile);
  std::abort();
}

}  // namespace

absl::Time TraceBegin() { return absl::FromUnixSeconds(749458803); }

std::vector<TraceJob> ReadTrace(size_t jobs) {
  const std::vector<TraceJob> once = ReadOnce();
  std::vector<TraceJob> all;
  for (size_t i = 0; i < jobs; ++i) {
    all.push_back(once[i % once.size()]);
    all.back().start += kShift * static_cast<int64_t>(i / once.size());
  }
  return all;
}

std::string TraceSite(const std::vector<TraceJob>& jobs, const std::string& cluster) {
  std::map<std::string, std::map<std::string, std::string>> groups;
  for (const TraceJob& job : jobs) groups[job.group][job.account] = job.user;
  std::string dump = absl::StrCat("Cluster - '", cluster, "':Fairshare=1\nParent - 'root'\n");
  for (const auto& [group, accounts] : groups) {
    absl::StrAppend(&dump, "Account - '", group, "':Fairshare=1\n");
  }
  for (const auto& [group, accounts] : groups) {
    absl::StrAppend(&dump, "Parent - '", group, "'\n");
    for (const auto& [account, user] : accounts) {
      absl::StrAppend(&dump, "Account - '", account, "':Fairshare=1\n");
    }
  }
  for (const auto& [group, accounts] : groups) {
    for (const auto& [account, user] : accounts) {
      absl::StrAppend(&dump, "Parent - '", account, "'\nUser - '", user, "':DefaultAccount='",
                      account, "':Fairshare=1\n");
    }
  }
  return dump;
}

}  // namespace priorityd
