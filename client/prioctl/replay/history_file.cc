#include "client/prioctl/replay/history_file.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace priorityd::replay {
namespace {

constexpr int64_t kMostNodes = 1'000'000;
constexpr int64_t kMostDays = 3660;

}  // namespace

absl::Status CheckBounds(const History& history) {
  if (history.nodes > kMostNodes) {
    return absl::InvalidArgumentError(absl::StrCat(history.name, ": got a machine of ",
                                                   history.nodes, " nodes, want at most ",
                                                   kMostNodes, " (--cpus-per-node, --nodes)"));
  }
  for (const laboratory::HistoryJob& job : history.jobs) {
    const absl::Duration span = job.start + job.run_time - job.submit;
    if (span <= absl::Hours(24 * kMostDays)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(history.name, ": job ", job.id, ": got ", absl::ToInt64Hours(span) / 24,
                     " days from its submission to its end, want at most ", kMostDays));
  }
  return absl::OkStatus();
}

void Settle(History* history) {
  std::vector<laboratory::HistoryJob>& jobs = history->jobs;
  absl::flat_hash_map<std::string, size_t> place_of;
  std::vector<laboratory::HistoryJob> last;
  for (laboratory::HistoryJob& job : jobs) {
    const auto [place, is_new] = place_of.emplace(job.id, last.size());
    if (is_new) {
      last.push_back(std::move(job));
      continue;
    }
    ++history->left_out["ran again later"];
    if (last[place->second].start <= job.start) last[place->second] = std::move(job);
  }
  jobs = std::move(last);
  laboratory::SortHistory(&jobs);
}

void Compress(double load_factor, History* history) {
  if (history->jobs.empty()) return;
  const absl::Time begin = history->jobs.front().eligible;
  const auto compressed = [&](absl::Time time) {
    return begin + absl::Floor((time - begin) / load_factor, absl::Seconds(1));
  };
  for (laboratory::HistoryJob& job : history->jobs) {
    job.submit = compressed(job.submit);
    job.eligible = compressed(job.eligible);
    job.start = job.eligible;
  }
  laboratory::SortHistory(&history->jobs);
}

void CutAt(absl::Time to, History* history) {
  std::vector<laboratory::HistoryJob>& jobs = history->jobs;
  const auto later =
      std::find_if(jobs.begin(), jobs.end(), [&](const auto& job) { return job.eligible >= to; });
  jobs.erase(later, jobs.end());
}

void LeaveOutWithoutUser(History* history) {
  const auto is_of_account = [](const laboratory::HistoryJob& job) {
    return job.user.empty() && !job.account.empty();
  };
  std::vector<laboratory::HistoryJob>& jobs = history->jobs;
  const auto left_out = std::count_if(jobs.begin(), jobs.end(), is_of_account);
  if (left_out == 0) return;
  history->left_out["of an account without a user"] += left_out;
  jobs.erase(std::remove_if(jobs.begin(), jobs.end(), is_of_account), jobs.end());
}

}  // namespace priorityd::replay
