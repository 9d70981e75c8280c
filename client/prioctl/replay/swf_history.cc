#include "client/prioctl/replay/swf_history.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/swf/swf.h"

namespace priorityd::replay {
namespace {

constexpr size_t kFields = 18;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

laboratory::HistoryJob ToHistory(const swf::SwfJob& from, int64_t cpus_per_node) {
  laboratory::HistoryJob job;
  job.id = absl::StrCat(from.number);
  job.user = absl::StrCat("u", from.user);
  job.account = from.group < 0 ? "users" : absl::StrCat("g", from.group);
  job.submit = job.eligible = from.submit_time;
  job.start = job.submit + from.wait_time.value_or(absl::ZeroDuration());
  job.run_time = *from.run_time;
  job.nodes = static_cast<uint32_t>(DivideUp(from.processors, cpus_per_node));
  job.cpus = static_cast<double>(job.nodes * DivideUp(from.processors, job.nodes));
  job.time_limit = from.requested_time;
  return job;
}

}  // namespace

bool IsSwf(absl::string_view content) {
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty()) continue;
    if (absl::StartsWith(text, ";")) return true;
    const std::vector<absl::string_view> cells =
        absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    double number = 0;
    return cells.size() == kFields && std::all_of(cells.begin(), cells.end(), [&](auto cell) {
             return absl::SimpleAtod(cell, &number);
           });
  }
  return false;
}

absl::StatusOr<History> ReadSwfHistory(const std::string& name, absl::string_view content,
                                       int64_t cpus_per_node) {
  const auto trace = swf::ParseSwf(content);
  if (!trace.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " ", trace.status().message()));
  }
  History history{.name = name, .has_waits = false};
  const int64_t processors = std::max(trace->max_processors, trace->max_nodes);
  if (cpus_per_node == 0) {
    cpus_per_node = trace->max_nodes == 0 ? 1 : DivideUp(processors, trace->max_nodes);
  }
  history.nodes = DivideUp(processors, cpus_per_node);
  history.cpus = history.nodes * cpus_per_node;
  for (const swf::SwfJob& job : trace->jobs) {
    if (!job.run_time.has_value() || job.processors == 0) {
      ++history.left_out["without a run time or processors"];
      continue;
    }
    history.has_waits |= job.wait_time.has_value();
    history.jobs.push_back(ToHistory(job, cpus_per_node));
  }
  Settle(&history);
  return history;
}

}  // namespace priorityd::replay
