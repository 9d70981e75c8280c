#include "client/examples/batch_frontend/event_log.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace priorityd::batch_frontend {
namespace {

// In the order of events at one time.
enum class Kind { kEnd, kSubmit, kStart };

using Event = std::tuple<absl::Time, Kind, size_t>;

// 0-3,7
std::string NodeList(const std::vector<int>& nodes) {
  std::string list;
  for (size_t first = 0; first < nodes.size();) {
    size_t last = first;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    absl::StrAppend(&list, list.empty() ? "" : ",", nodes[first]);
    if (last > first) absl::StrAppend(&list, "-", nodes[last]);
    first = last + 1;
  }
  return list;
}

std::vector<Event> EventsOf(const std::vector<Job>& jobs, const std::vector<PlayedJob>& played) {
  std::vector<Event> events;
  for (size_t job = 0; job < jobs.size(); ++job) {
    events.emplace_back(jobs[job].submit_time, Kind::kSubmit, job);
    if (!played[job].start_time.has_value()) continue;
    events.emplace_back(*played[job].start_time, Kind::kStart, job);
    events.emplace_back(played[job].end_time, Kind::kEnd, job);
  }
  std::sort(events.begin(), events.end());
  return events;
}

}  // namespace

std::string EventLog(const std::vector<Job>& jobs, const std::vector<PlayedJob>& played) {
  std::string log;
  for (const auto& [time, kind, job] : EventsOf(jobs, played)) {
    absl::StrAppend(&log, absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()));
    switch (kind) {
      case Kind::kEnd:
        absl::StrAppend(&log, " end ", jobs[job].id, "\n");
        break;
      case Kind::kSubmit:
        absl::StrAppend(&log, " submit ", jobs[job].id, " user ", jobs[job].user, "\n");
        break;
      case Kind::kStart:
        absl::StrAppend(&log, " start ", jobs[job].id, " nodes ",
                        NodeList(played[job].allocation.nodes),
                        played[job].backfilled ? " backfilled\n" : "\n");
        break;
    }
  }
  return log;
}

uint64_t Digest(absl::string_view text) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return digest;
}

}  // namespace priorityd::batch_frontend
