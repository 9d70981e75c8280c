// Submit limits on random requests, against a count made again for each job.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/queue/state/queue_update.h"
#include "tests/engine/priority/draw.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::queue {
namespace {

using priority::LimitKind;

struct Entry {
  std::string user;
  std::string account;
  std::string qos;
  int tasks = 0;
  bool runs = false;

  // Who names none has `normal`.
  std::string charged_qos() const { return qos.empty() ? "normal" : qos; }

  bool operator==(const Entry&) const = default;
};
using Live = std::map<std::string, Entry>;  // By job id.

struct Limits {
  std::map<std::string, int> of_association;  // By user, account or `root`.
  std::map<std::string, int> of_group;        // The same: GrpSubmitJobs.
  std::map<std::string, int> of_user;         // By QOS, as the next two.
  std::map<std::string, int> of_account;
  std::map<std::string, int> of_qos;

  std::optional<int> Of(const Entry& job) const {
    for (const std::string& name : {job.user, job.account, std::string("root")}) {
      if (const auto found = of_association.find(name); found != of_association.end()) {
        return found->second;
      }
    }
    return std::nullopt;
  }
};

int Count(const Live& live, auto counts) {
  int tasks = 0;
  for (const auto& [id, entry] : live) tasks += counts(entry) ? entry.tasks : 0;
  return tasks;
}

// Slurm's reasons why the job cannot be taken; empty = it can.
std::set<std::string> ExceededLimits(const Limits& limits, const Live& live, const std::string& id,
                                     const Entry& job) {
  std::set<std::string> exceeded;
  if (job.runs) return exceeded;
  Live after = live;
  after[id] = job;
  const auto check = [&](std::optional<int> most, const std::string& reason, auto counts) {
    const int tasks = Count(after, counts);
    if (most.has_value() && tasks > *most && tasks > Count(live, counts)) exceeded.insert(reason);
  };
  const auto most_of = [](const std::map<std::string, int>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional<int>(found->second);
  };
  const std::string qos = job.charged_qos();
  const auto same_qos = [&](const Entry& e) { return e.charged_qos() == qos; };
  const auto same_user = [&](const Entry& e) { return same_qos(e) && e.user == job.user; };
  const auto same_account = [&](const Entry& e) { return same_qos(e) && e.account == job.account; };
  check(most_of(limits.of_qos, qos), "QOSGrpSubmitJobsLimit", same_qos);
  check(most_of(limits.of_account, qos), "MaxSubmitJobsPerAccount", same_account);
  check(most_of(limits.of_user, qos), "QOSMaxSubmitJobPerUserLimit", same_user);
  // A QOS's limit is looked at instead of the associations' of its kind.
  if (!limits.of_user.contains(qos)) {
    check(limits.Of(job), "AssocMaxSubmitJobLimit",
          [&](const Entry& e) { return e.user == job.user && e.account == job.account; });
  }
  if (limits.of_qos.contains(qos)) return exceeded;
  check(most_of(limits.of_group, job.user), "AssocGrpSubmitJobsLimit",
        [&](const Entry& e) { return e.user == job.user && e.account == job.account; });
  check(most_of(limits.of_group, job.account), "AssocGrpSubmitJobsLimit",
        [&](const Entry& e) { return e.account == job.account; });
  check(most_of(limits.of_group, "root"), "AssocGrpSubmitJobsLimit",
        [](const Entry&) { return true; });
  return exceeded;
}

Limits DrawLimits(priority::Draw& draw, priority::SmallSite* site) {
  Limits limits;
  const auto limit = [&](const std::string& name, const std::string& account,
                         const std::string& user) {
    priority::AssociationLimits& own = site->association(account, user).limits;
    if (draw.OneIn(3)) {
      limits.of_group[name] = draw.Below(25);
      own.others = {{LimitKind::kGrpSubmitJobs, "", double(limits.of_group[name])}};
    }
    if (draw.OneIn(2)) return;
    limits.of_association[name] = draw.Below(25);
    own.max_submit_jobs = limits.of_association[name];
  };
  limit("ann", "physics", "ann");
  limit("cat", "chemistry", "cat");
  limit("physics", "physics", "");
  limit("root", "root", "");
  for (const std::string qos : {"normal", "high"}) {
    const auto limit_qos = [&](LimitKind kind, std::map<std::string, int>* of) {
      if (!draw.OneIn(3)) return;
      (*of)[qos] = draw.Below(25);
      site->qos(qos).other_limits.push_back({kind, "", double((*of)[qos])});
    };
    limit_qos(LimitKind::kGrpSubmitJobs, &limits.of_qos);
    limit_qos(LimitKind::kMaxSubmitJobsPerAccount, &limits.of_account);
    if (draw.OneIn(2)) continue;
    limits.of_user[qos] = draw.Below(20);
    site->qos(qos).max_submit_jobs_per_user = limits.of_user[qos];
  }
  return limits;
}

Entry DrawEntry(priority::Draw& draw) {
  Entry entry;
  entry.user = draw.Of<std::string>({"ann", "bob", "cat"});
  entry.account = entry.user == "cat" ? "chemistry" : "physics";
  entry.qos = draw.Of<std::string>({"", "normal", "high"});
  entry.tasks = draw.OneIn(3) ? 1 + draw.Below(6) : 1;
  entry.runs = draw.OneIn(4);
  return entry;
}

TrackedJob AsTold(const std::string& id, const Entry& entry) {
  TrackedJob job;
  job.job = priority::JobOf(id);
  job.job.user = entry.user;
  job.job.account = entry.account;
  job.job.qos.clear();
  if (!entry.qos.empty()) job.job.qos.push_back(entry.qos);
  job.job.array_tasks = static_cast<uint32_t>(entry.tasks);
  if (entry.runs) job.job.state = priority::JobState::kRunning;
  job.source = "test";
  return job;
}

class RandomSubmits : public testing::TestWithParam<int> {};

TEST_P(RandomSubmits, AreRefusedAsACountFromTheStartRefusesThem) {
  priority::Draw draw(900 + GetParam());
  priority::SmallSite site;
  const Limits limits = DrawLimits(draw, &site);
  TrackedQueue queue(site.Build());
  Live live;
  for (int step = 0; step < 60; ++step) {
    QueueUpdate update(queue, priority::kNow + absl::Minutes(step));
    std::deque<std::string> ids;
    std::deque<Entry> entries;
    std::vector<std::set<std::string>> want;  // One of them is returned.
    std::vector<int> places(40);
    for (int i = 0; i < 40; ++i) places[i] = i;
    std::rotate(places.begin(), places.begin() + draw.Below(40), places.end());
    const int removals = draw.Below(4);
    for (int i = 0; i < removals; ++i) {
      update.Remove(ids.emplace_back(std::to_string(places[i])));
      live.erase(ids.back());
      want.emplace_back();
    }
    for (int i = removals; i < removals + draw.Below(8); ++i) {
      const std::string& id = ids.emplace_back(std::to_string(places[i]));
      const Entry& entry = entries.emplace_back(DrawEntry(draw));
      TrackedJob told = AsTold(id, entry);
      if (draw.OneIn(6)) {
        told.end = JobEnd::kCompleted;
        live.erase(id);
        want.emplace_back();
      } else {
        want.push_back(ExceededLimits(limits, live, id, entry));
        if (want.back().empty()) live[id] = entry;
      }
      update.Upsert(told);
    }
    queue.Apply(update.Finish());
    ASSERT_EQ(update.results().size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      const std::string& reason = update.results()[i].reason;
      EXPECT_EQ(reason.empty(), want[i].empty()) << reason;
      EXPECT_TRUE(reason.empty() || want[i].contains(reason)) << reason;
    }
    EXPECT_EQ(queue.state()->jobs(), live.size());
    if (HasFailure()) FAIL() << "seed " << GetParam() << " step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSubmits, testing::Range(0, 40));

}  // namespace
}  // namespace priorityd::queue
