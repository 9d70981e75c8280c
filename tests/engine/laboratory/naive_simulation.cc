#include "tests/engine/laboratory/naive_simulation.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

struct NaiveJob {
  int64_t eligible;
  int64_t submit;
  int64_t id;
  int64_t run_time;
  int64_t limit;
  int nodes;
  int64_t start = -1;
};

struct Node {
  bool busy = false;
  int64_t end = 0;    // Of its job.
  int64_t limit = 0;  // The same by its time limit.
};

class NaiveMachine {
 public:
  NaiveMachine(int nodes, bool easy) : nodes_(nodes), easy_(easy) {}

  // Starts what can, of those that wait, which are in their order.
  void Pass(int64_t now, std::vector<NaiveJob*> queue) {
    for (Node& node : nodes_) node.busy &= node.end > now;
    size_t head = 0;
    while (head < queue.size() && TryStart(queue[head], now, {}, 0)) ++head;
    if (!easy_ || head == queue.size()) return;
    // The head gets the first nodes that are free when enough are.
    std::vector<int64_t> frees;
    for (const Node& node : nodes_) frees.push_back(Expected(node, now));
    std::sort(frees.begin(), frees.end());
    const int64_t shadow = frees[queue[head]->nodes - 1];
    std::set<size_t> reserved;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (Expected(nodes_[i], now) > shadow) continue;
      if (reserved.size() < static_cast<size_t>(queue[head]->nodes)) reserved.insert(i);
    }
    for (size_t i = head + 1; i < queue.size(); ++i) TryStart(queue[i], now, reserved, shadow);
  }

 private:
  // A job over its limit is thought to end in a minute.
  static int64_t Expected(const Node& node, int64_t now) {
    return node.busy ? std::max(node.limit, now + 60) : now;
  }

  bool TryStart(NaiveJob* job, int64_t now, const std::set<size_t>& reserved, int64_t shadow) {
    std::vector<size_t> fit;
    for (size_t i = 0; i < nodes_.size() && fit.size() < static_cast<size_t>(job->nodes); ++i) {
      if (nodes_[i].busy) continue;
      if (reserved.count(i) > 0 && now + job->limit > shadow) continue;
      fit.push_back(i);
    }
    if (fit.size() < static_cast<size_t>(job->nodes)) return false;
    for (const size_t i : fit) nodes_[i] = {true, now + job->run_time, now + job->limit};
    job->start = now;
    return true;
  }

  std::vector<Node> nodes_;
  const bool easy_;
};

}  // namespace

std::vector<int64_t> NaiveStarts(const std::vector<HistoryJob>& jobs, int nodes, bool easy) {
  std::vector<NaiveJob> all;
  const auto seconds = [](absl::Time time) { return absl::ToInt64Seconds(time - kBegin); };
  for (const HistoryJob& job : jobs) {
    const int64_t run_time = absl::ToInt64Seconds(job.run_time);
    const int64_t limit =
        std::max<int64_t>(1, absl::ToInt64Seconds(job.time_limit.value_or(job.run_time)));
    all.push_back({seconds(job.eligible), seconds(job.submit), std::stoll(job.id), run_time, limit,
                   static_cast<int>(job.nodes)});
  }
  NaiveMachine machine(nodes, easy);
  std::multiset<int64_t> events;
  for (const NaiveJob& job : all) events.insert(job.eligible);
  while (!events.empty()) {
    const int64_t now = *events.begin();
    events.erase(now);
    // A job without run time ends when it starts, and that is an event again.
    std::vector<NaiveJob*> queue;
    for (NaiveJob& job : all) {
      if (job.eligible <= now && job.start < 0) queue.push_back(&job);
    }
    std::sort(queue.begin(), queue.end(), [](const NaiveJob* a, const NaiveJob* b) {
      return std::tie(a->submit, a->id) < std::tie(b->submit, b->id);
    });
    machine.Pass(now, queue);
    for (const NaiveJob* job : queue) {
      if (job->start >= 0) events.insert(now + job->run_time);
    }
    // While somebody waits there is a pass every five minutes, too.
    const bool waits =
        std::any_of(queue.begin(), queue.end(), [](const NaiveJob* job) { return job->start < 0; });
    if (waits && !events.empty()) events.insert(now - now % 300 + 300);
  }
  std::vector<int64_t> starts;
  for (const NaiveJob& job : all) starts.push_back(job.start);
  return starts;
}

}  // namespace priorityd::laboratory
