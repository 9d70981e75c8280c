#include "engine/laboratory/measures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::laboratory {
namespace {

constexpr absl::Duration kShortRun = absl::Seconds(10);

// The largest number of CPUs of each size class but the last.
constexpr int kSizes[] = {1, 4, 16, 64, 256, 1024, 4096};
constexpr size_t kSizeCount = std::size(kSizes) + 1;

size_t SizeOf(double cpus) {
  return static_cast<size_t>(std::lower_bound(std::begin(kSizes), std::end(kSizes), cpus) -
                             std::begin(kSizes));
}

std::string SizeName(size_t size) {
  const int from = size == 0 ? 1 : kSizes[size - 1] + 1;
  if (size == 0) return "1 CPU";
  if (size == kSizeCount - 1) return absl::StrCat(from, " CPUs and more");
  return absl::StrCat(from, "-", kSizes[size], " CPUs");
}

double SecondsIn(const Period& period, absl::Time start, absl::Duration run_time) {
  const absl::Time end = std::min(start + run_time, period.end);
  return std::max(0.0, absl::ToDoubleSeconds(end - std::max(start, period.begin)));
}

// A percentile by nearest rank. REQUIRES: `values` is sorted and not empty.
double Percentile(const std::vector<double>& values, int percent) {
  const size_t rank = (values.size() * percent + 99) / 100;
  return values[std::max<size_t>(rank, 1) - 1];
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Accumulates the data of a Group.
struct Gathered {
  int64_t jobs = 0;
  std::vector<double> waits;
  std::vector<double> slowdowns;
  double cpu_seconds = 0;
  std::optional<double> share;

  void Add(const HistoryJob& job, const std::optional<absl::Time>& start, const Period& period) {
    if (start.has_value()) cpu_seconds += job.cpus * SecondsIn(period, *start, job.run_time);
    if (!IsMeasured(job, period)) return;
    ++jobs;
    if (!start.has_value()) return;
    waits.push_back(absl::ToDoubleSeconds(*start - job.eligible));
    slowdowns.push_back(BoundedSlowdown(*start - job.eligible, job.run_time));
  }
};

Group ToGroup(std::string name, Gathered gathered, double all_cpu_seconds) {
  return {.name = std::move(name),
          .jobs = gathered.jobs,
          .wait = SpreadOf(std::move(gathered.waits)),
          .slowdown = MeanOf(gathered.slowdowns),
          .cpu_seconds = gathered.cpu_seconds,
          .usage = all_cpu_seconds == 0 ? 0 : gathered.cpu_seconds / all_cpu_seconds,
          .share = gathered.share};
}

template <typename Map, typename Name>
std::vector<Group> ToGroups(Map gathered, double all_cpu_seconds, Name name) {
  std::vector<Group> groups;
  for (auto& [key, values] : gathered) {
    if (values.jobs == 0 && values.cpu_seconds == 0) continue;
    groups.push_back(ToGroup(name(key), std::move(values), all_cpu_seconds));
  }
  return groups;
}

}  // namespace

Period PeriodOf(absl::Span<const HistoryJob> jobs, absl::Time from) {
  Period period{absl::UnixEpoch(), absl::UnixEpoch()};
  bool any = false;
  for (const HistoryJob& job : jobs) {
    if (job.start < from) continue;
    if (!any) period.begin = from == absl::InfinitePast() ? job.eligible : from;
    any = true;
    period.end = std::max(period.begin, job.eligible);
  }
  return period;
}

bool IsMeasured(const HistoryJob& job, const Period& period) {
  return job.start >= period.begin && job.eligible <= period.end;
}

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {.jobs = static_cast<int64_t>(values.size()),
          .mean = MeanOf(values),
          .median = Percentile(values, 50),
          .p95 = Percentile(values, 95),
          .largest = values.back()};
}

double BoundedSlowdown(absl::Duration wait, absl::Duration run_time) {
  return std::max(1.0, absl::FDivDuration(wait + run_time, std::max(run_time, kShortRun)));
}

priority::AssociationIndex AssociationOf(const Site& site, const HistoryJob& job) {
  absl::string_view account = job.account;
  if (account.empty() && site.default_accounts != nullptr) {
    account = site.default_accounts->Find(job.user);
  }
  absl::string_view partition;
  if (!job.partitions.empty()) partition = job.partitions[0];
  return site.tree->FindUser(account, job.user, partition);
}

std::vector<double> DueShares(const priority::AssociationTree& tree) {
  std::vector<double> due(tree.path_norm_shares().begin(), tree.path_norm_shares().end());
  std::map<priority::AssociationIndex, int> with_parents_shares;
  for (priority::AssociationIndex i = 1; i < tree.size(); ++i) {
    if (tree.is_user(i) && tree.parent_shares(i)) ++with_parents_shares[tree.parent()[i]];
  }
  for (priority::AssociationIndex i = 1; i < tree.size(); ++i) {
    if (tree.is_user(i) && tree.parent_shares(i)) due[i] /= with_parents_shares[tree.parent()[i]];
  }
  return due;
}

Measures Measure(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                 const Period& period) {
  const std::vector<double> due = DueShares(*site.tree);
  Gathered all;
  std::map<std::string, Gathered> users, accounts;
  std::map<size_t, Gathered> sizes;
  // The associations whose shares are counted: a user may have several.
  std::set<std::pair<std::string, priority::AssociationIndex>> counted;
  absl::Time last_end = period.begin;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const HistoryJob& job = jobs[i];
    const std::optional<absl::Time>& start = schedule.starts[i];
    if (start.has_value() && IsMeasured(job, period)) {
      last_end = std::max(last_end, *start + job.run_time);
    }
    const priority::AssociationIndex association = AssociationOf(site, job);
    const std::string account =
        association < 0 ? job.account : std::string(site.tree->account(association));
    all.Add(job, start, period);
    Gathered& user = users[job.user];
    user.Add(job, start, period);
    Gathered& of_account = accounts[account];
    of_account.Add(job, start, period);
    sizes[SizeOf(job.cpus)].Add(job, start, period);
    if (association < 0) continue;
    if (counted.emplace(job.user, association).second) {
      user.share = user.share.value_or(0) + due[association];
    }
    of_account.share = due[site.tree->FindAccount(account)];
  }
  const double had = site.cluster.cpus * absl::ToDoubleSeconds(period.end - period.begin);
  const auto same = [](const std::string& name) { return name; };
  return {.jobs = all.jobs,
          .wait = SpreadOf(all.waits),
          .slowdown = SpreadOf(all.slowdowns),
          .utilisation = had > 0 ? all.cpu_seconds / had : 0,
          .makespan = last_end - period.begin,
          .users = ToGroups(std::move(users), all.cpu_seconds, same),
          .accounts = ToGroups(std::move(accounts), all.cpu_seconds, same),
          .sizes = ToGroups(std::move(sizes), all.cpu_seconds, SizeName)};
}

Difference Compare(absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                   const Schedule& other, const Period& period) {
  Difference difference;
  double sum = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!IsMeasured(jobs[i], period)) continue;
    if (!schedule.starts[i].has_value() || !other.starts[i].has_value()) continue;
    const double seconds = absl::ToDoubleSeconds(*schedule.starts[i] - *other.starts[i]);
    ++difference.jobs;
    if (std::abs(seconds) < 1) {
      ++difference.same;
    } else {
      ++(seconds < 0 ? difference.earlier : difference.later);
    }
    sum += std::abs(seconds);
    difference.largest_seconds = std::max(difference.largest_seconds, std::abs(seconds));
  }
  if (difference.jobs > 0) difference.mean_seconds = sum / static_cast<double>(difference.jobs);
  return difference;
}

}  // namespace priorityd::laboratory
