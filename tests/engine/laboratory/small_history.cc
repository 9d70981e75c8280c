#include "tests/engine/laboratory/small_history.h"

#include <memory>

#include "absl/strings/str_cat.h"

namespace priorityd::laboratory {

SmallSite::SmallSite(int nodes, int cpus, int users) {
  site.cluster = {.name = "small",
                  .nodes = static_cast<double>(nodes),
                  .cpus = static_cast<double>(nodes * cpus)};
  NodeShape& shape = site.nodes.emplace_back();
  for (int i = 0; i < nodes; ++i) shape.names.push_back(absl::StrCat("n", i));
  shape.tres["cpu"] = cpus;
  shape.partitions = {"main"};
  priority::Partition& main = site.partitions.emplace_back();
  main.name = "main";
  main.nodes = nodes;
  main.tres["cpu"] = nodes * cpus;
  main.is_default = true;
  site.qos.emplace_back().name = "normal";
  associations.push_back({.id = 1, .account = "root"});
  associations.push_back({.id = 2, .parent_id = 1, .account = "lab"});
  associations.back().default_qos = "normal";
  for (int i = 0; i < users; ++i) {
    associations.push_back(
        {.id = 3 + i, .parent_id = 2, .account = "lab", .user = absl::StrCat("u", i)});
  }
}

Site SmallSite::Build() const {
  Site built = site;
  built.tree = std::make_shared<const priority::AssociationTree>(
      *priority::AssociationTree::Build(associations));
  return built;
}

HistoryJob JobOf(const std::string& id, int eligible, int run_time, int nodes) {
  HistoryJob job;
  job.id = id;
  job.user = "u0";
  job.account = "lab";
  job.submit = job.eligible = job.start = kBegin + absl::Seconds(eligible);
  job.run_time = absl::Seconds(run_time);
  job.nodes = static_cast<uint32_t>(nodes);
  job.cpus = nodes;
  job.time_limit = job.run_time;
  return job;
}

std::vector<HistoryJob> RandomHistory(std::mt19937_64& random, int jobs, int nodes, int users) {
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  std::vector<HistoryJob> history;
  int time = 0;
  for (int i = 0; i < jobs; ++i) {
    if (below(3) > 0) time += below(400);
    HistoryJob job = JobOf(absl::StrCat(i + 1), time, below(8) == 0 ? 0 : below(900),
                           below(4) == 0 ? 1 + below(nodes) : 1 + below((nodes + 3) / 4));
    job.user = absl::StrCat("u", below(users));
    job.submit -= absl::Seconds(below(2) * below(50));
    job.time_limit = job.run_time + absl::Seconds(below(4) == 0 ? -below(60) : below(300));
    if (below(6) == 0) job.time_limit.reset();
    history.push_back(std::move(job));
  }
  SortHistory(&history);
  return history;
}

std::vector<HistoryJob> AsRecorded(std::vector<HistoryJob> jobs, const Schedule& schedule) {
  for (size_t i = 0; i < jobs.size(); ++i) jobs[i].start = schedule.starts[i].value();
  return jobs;
}

std::vector<int64_t> Seconds(const Schedule& schedule) {
  std::vector<int64_t> seconds;
  for (const auto& start : schedule.starts) {
    seconds.push_back(start.has_value() ? absl::ToInt64Seconds(*start - kBegin) : -1);
  }
  return seconds;
}

}  // namespace priorityd::laboratory
