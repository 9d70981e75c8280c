#include "tests/engine/priority/naive_limits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/priority/site/billing.h"
#include "engine/priority/site/limit_kind.h"

namespace priorityd::priority {
namespace {

using Kind = LimitKind;

// A limit, by what has it: a QOS, an association, or a grant to an association.
struct Given {
  LimitValue value;
  const Qos* qos = nullptr;
  int association = -1;
  const GrantStanding* grant = nullptr;
};

// Also of the sums that grants draw.
std::map<std::string, double> CountsOf(const NaiveJobs& queue, const Job& job,
                                       const Partition* partition) {
  std::map<std::string, double> counts;
  counts["node"] = NaiveNodes(job);
  counts["cpu"] = job.cpus;
  for (const auto& [name, count] : job.tres) counts[absl::AsciiStrToLower(name)] = count;
  if (counts.count("billing") == 0) {
    const TresMap weights = partition == nullptr ? TresMap() : partition->billing_weights;
    counts["billing"] = std::trunc(Billing(BillingRuleFor(queue.snapshot.policy(), weights),
                                           weights, TresMap(counts.begin(), counts.end())));
  }
  counts["cpu=1,gres/gpu=20"] = counts["cpu"] + 20 * counts["gres/gpu"];
  counts["license/matlab=0.5,node=3"] = counts["license/matlab"] / 2 + 3 * counts["node"];
  return counts;
}

std::vector<Given> LimitsOf(const Qos& qos) {
  std::vector<LimitValue> values = qos.other_limits;
  for (const auto& [tres, minutes] : qos.grp_tres_mins) {
    values.push_back({Kind::kGrpTresMins, tres, minutes});
  }
  if (qos.grp_wall) values.push_back({Kind::kGrpWall, "", absl::ToDoubleSeconds(*qos.grp_wall)});
  std::vector<Given> given;
  for (const LimitValue& value : values) given.push_back({value, &qos, -1});
  return given;
}

std::vector<Given> LimitsOf(const Association& association, int index) {
  const AssociationLimits& own = association.limits;
  std::vector<LimitValue> values = own.others;
  for (const auto& [tres, minutes] : own.grp_tres_mins) {
    values.push_back({Kind::kGrpTresMins, tres, minutes});
  }
  if (own.grp_wall) values.push_back({Kind::kGrpWall, "", absl::ToDoubleSeconds(*own.grp_wall)});
  std::vector<Given> given;
  for (const LimitValue& value : values) given.push_back({value, nullptr, index});
  return given;
}

// Whether an association is an owner of a grant: one of its accounts, or its user in one of them.
bool IsOwner(const GrantStanding& grant, const Association& association) {
  return association.user == grant.user &&
         std::count(grant.accounts.begin(), grant.accounts.end(), association.account) > 0;
}

// Whether a grant holds for a path.
bool HoldsFor(const NaiveJobs& queue, const GrantStanding& grant, const std::vector<int>& path) {
  return std::any_of(path.begin(), path.end(),
                     [&](int i) { return IsOwner(grant, queue.associations[i]); });
}

// The grants that block or cap, of which an association is the topmost owner on a path.
std::vector<Given> GrantsOf(const NaiveJobs& queue, const std::vector<int>& path, size_t place) {
  std::vector<Given> given;
  for (const GrantStanding& grant : queue.snapshot.grants()) {
    const std::vector<int> above(path.begin() + place + 1, path.end());
    const bool used_up = grant.used >= grant.available * (1 - 1e-9);
    const bool caps = grant.consequence == GrantConsequence::kCap && used_up;
    if ((grant.consequence != GrantConsequence::kBlock && !caps) || HoldsFor(queue, grant, above) ||
        !IsOwner(grant, queue.associations[path[place]])) {
      continue;
    }
    if (caps) {
      const LimitValue cap = {Kind::kGrpTres, grant.measure.tres, grant.measure.most};
      given.push_back({cap, nullptr, path[place], &grant});
      continue;
    }
    const LimitValue value = {Kind::kGrpTresMins, grant.tres, grant.available / 60};
    given.push_back({value, nullptr, path[place], &grant});
  }
  return given;
}

bool IsGroup(Kind kind) {
  return kind == Kind::kGrpJobs || kind == Kind::kGrpWall || kind == Kind::kGrpTres ||
         kind == Kind::kGrpTresMins || kind == Kind::kGrpTresRunMins;
}

bool IsFirstPhase(Kind kind) {
  return kind == Kind::kGrpJobs || kind == Kind::kGrpWall || kind == Kind::kMaxJobs ||
         kind == Kind::kMaxJobsPerAccount || kind == Kind::kMaxWall;
}

bool IsOfNodes(const Given& given) {
  const Kind kind = given.value.kind;
  return given.value.tres == "node" &&
         (kind == Kind::kGrpTres || kind == Kind::kMaxTres || kind == Kind::kMaxTresPerUser ||
          kind == Kind::kMaxTresPerAccount);
}

bool IsSubmission(Kind kind) { return kind >= Kind::kGrpSubmitJobs; }

bool Same(const Given& a, const Given& b) {
  return a.value.kind == b.value.kind && a.value.tres == b.value.tres;
}

bool Any(const std::vector<Given>& limits, const Given& one) {
  return std::any_of(limits.begin(), limits.end(), [&](const Given& g) { return Same(g, one); });
}

void Sort(std::vector<Given>* level) {
  const std::vector<std::string> ids = {"cpu", "mem", "node", "billing"};
  const auto id = [&](const Given& g) {
    return std::make_tuple(
        g.value.kind, std::find(ids.begin(), ids.end(), g.value.tres) - ids.begin(), g.value.tres);
  };
  std::stable_sort(level->begin(), level->end(),
                   [&](const Given& a, const Given& b) { return id(a) < id(b); });
}

// The two QOS of a pair, the one that goes first first.
std::vector<const Qos*> QosOf(const NaiveJobs& queue, const NaivePair& pair) {
  const Qos* of_partition = nullptr;
  if (pair.partition != nullptr && !pair.partition->qos.empty()) {
    const int index = queue.snapshot.FindQos(pair.partition->qos);
    if (index >= 0) of_partition = &queue.snapshot.qos()[index];
  }
  if (of_partition == nullptr || of_partition == pair.qos) {
    return pair.qos == nullptr ? std::vector<const Qos*>() : std::vector<const Qos*>{pair.qos};
  }
  if (pair.qos == nullptr) return {of_partition};
  if (pair.qos->over_part_qos) return {pair.qos, of_partition};
  return {of_partition, pair.qos};
}

// Levels of limits in the order in which they are gone through, each sorted.
struct Levels {
  std::vector<std::vector<Given>> of_qos;
  std::vector<std::vector<Given>> of_associations;
};

Levels LevelsOf(const NaiveJobs& queue, const NaivePair& pair) {
  Levels levels;
  const bool limited = queue.snapshot.policy().enforce.limits;
  std::vector<Given> taken;
  for (const Qos* qos : QosOf(queue, pair)) {
    std::vector<Given> level;
    for (const Given& given : limited ? LimitsOf(*qos) : std::vector<Given>()) {
      if (!Any(taken, given)) level.push_back(given);
    }
    taken.insert(taken.end(), level.begin(), level.end());
    Sort(&level);
    levels.of_qos.push_back(level);
  }
  std::vector<Given> inherited;
  const std::vector<int> path = queue.Path(queue.association[pair.job]);
  for (size_t place = 0; place < path.size(); ++place) {
    const int i = path[place];
    std::vector<Given> level;
    const std::vector<Given> settings =
        limited ? LimitsOf(queue.associations[i], i) : std::vector<Given>();
    for (const Given& given : settings) {
      if (Any(taken, given)) continue;
      if (IsGroup(given.value.kind)) {
        level.push_back(given);
      } else if (!Any(inherited, given)) {
        inherited.push_back(given);
      }
    }
    for (const Given& given : GrantsOf(queue, path, place)) level.push_back(given);
    levels.of_associations.push_back(level);
  }
  std::vector<Given>& own = levels.of_associations[0];
  own.insert(own.end(), inherited.begin(), inherited.end());
  for (std::vector<Given>& level : levels.of_associations) Sort(&level);
  return levels;
}

double TimeOf(const NaiveJobs& queue, const NaivePair& pair) {
  const Job& job = queue.jobs[pair.job];
  if (job.time_limit) return absl::ToDoubleSeconds(*job.time_limit);
  const Partition* p = pair.partition;
  const double most = p == nullptr ? INFINITY : absl::ToDoubleSeconds(p->max_time);
  const Levels levels = LevelsOf(queue, pair);
  for (const auto& of : {levels.of_qos, levels.of_associations}) {
    for (const std::vector<Given>& level : of) {
      for (const Given& given : level) {
        if (given.value.kind == Kind::kMaxWall) return std::min(given.value.value, most);
      }
    }
  }
  if (p == nullptr) return INFINITY;
  return p->default_time ? absl::ToDoubleSeconds(*p->default_time) : most;
}

// By what measure a limit counts: 1, seconds, the count of its TRES, or both multiplied.
double Amount(Kind kind, double count, double seconds) {
  switch (kind) {
    case Kind::kGrpJobs:
    case Kind::kMaxJobs:
    case Kind::kMaxJobsPerAccount:
      return 1;
    case Kind::kGrpWall:
    case Kind::kMaxWall:
      return seconds;
    case Kind::kGrpTres:
    case Kind::kMaxTres:
    case Kind::kMinTres:
    case Kind::kMaxTresPerNode:
    case Kind::kMaxTresPerAccount:
    case Kind::kMaxTresPerUser:
      return count;
    default:
      return count == 0 ? 0 : count * seconds;
  }
}

// What running jobs that count against the limit have, or may still use.
double Running(const NaiveJobs& queue, const NaivePair& pair, const Given& given) {
  const Kind kind = given.value.kind;
  double sum = 0;
  for (size_t i = 0; i < queue.jobs.size(); ++i) {
    const Job& job = queue.jobs[i];
    if (job.state == JobState::kPending || queue.association[i] < 0) continue;
    NaivePair first;
    first.job = i;
    if (!queue.pairs[i].empty()) first = queue.pairs[i][0];
    const std::vector<int> path = queue.Path(queue.association[i]);
    const int mine = queue.association[pair.job];
    const int theirs = queue.association[i];
    bool counts = true;
    if (given.qos != nullptr) {
      const std::vector<const Qos*> qos =
          queue.pairs[i].empty() ? std::vector<const Qos*>() : QosOf(queue, first);
      counts = std::find(qos.begin(), qos.end(), given.qos) != qos.end();
      const Association& a = queue.associations[mine];
      const Association& b = queue.associations[theirs];
      if (kind == Kind::kMaxJobs || kind == Kind::kMaxTresPerUser ||
          kind == Kind::kMaxTresRunMins) {
        counts = counts && a.user == b.user;
      }
      if (kind == Kind::kMaxJobsPerAccount || kind == Kind::kMaxTresPerAccount ||
          kind == Kind::kMaxTresRunMinsPerAccount) {
        counts = counts && a.account == b.account;
      }
    } else if (given.grant != nullptr) {
      counts = HoldsFor(queue, *given.grant, path);
    } else if (IsGroup(kind)) {
      counts = std::find(path.begin(), path.end(), given.association) != path.end();
    } else {
      counts = mine == theirs;
    }
    if (!counts) continue;
    double left = queue.pairs[i].empty() && !job.time_limit ? INFINITY : TimeOf(queue, first);
    const absl::Time recorded = queue.snapshot.RecordedUntil(job.job_id);
    if (job.start_time && recorded > *job.start_time) {
      left -= absl::ToDoubleSeconds(recorded - *job.start_time);
    }
    left = std::min(std::max(left, 0.0), 4294967295.0 * 60);
    if (first.qos != nullptr) left *= first.qos->usage_factor;
    const double amount =
        Amount(kind, CountsOf(queue, job, first.partition)[given.value.tres], left);
    sum += kind == Kind::kGrpJobs || kind == Kind::kMaxJobs || kind == Kind::kMaxJobsPerAccount
               ? job.array_tasks
               : amount;
  }
  return sum;
}

double Kept(const NaiveJobs& queue, bool no_decay) {
  const UsageDecay* decay = queue.snapshot.decay();
  const absl::Time from = queue.snapshot.computed_at();
  if (decay == nullptr || queue.as_of <= from) return 1;
  if (LastReset(decay->reset(), queue.as_of) > from) return 0;
  // The random sites' half-life is an hour.
  return no_decay ? 1 : std::exp2(-absl::ToDoubleHours(queue.as_of - from));
}

double Used(const NaiveJobs& queue, const Given& given) {
  const Snapshot& snapshot = queue.snapshot;
  const std::string& tres = given.value.tres;
  if (given.grant != nullptr) return given.grant->used;
  if (given.qos != nullptr) {
    if (snapshot.qos_usage().empty()) return 0;
    const QosUsage& usage = snapshot.qos_usage()[snapshot.FindQos(given.qos->name)];
    const double kept = Kept(queue, given.qos->no_decay);
    if (tres.empty()) return usage.wall_seconds * kept;
    if (tres == "billing") return usage.usage * kept;
    return usage.tres_seconds.contains(tres) ? usage.tres_seconds.at(tres) * kept : 0;
  }
  const int i = given.association;
  const double kept = Kept(queue, false);
  if (tres == "billing") return snapshot.fair_share().usage[i] * kept;
  if (tres.empty()) return snapshot.wall_seconds().empty() ? 0 : snapshot.wall_seconds()[i] * kept;
  return snapshot.tres_usage().contains(tres) ? snapshot.tres_usage().at(tres)[i] * kept : 0;
}

bool Exceeds(const NaiveJobs& queue, const NaivePair& pair, const Given& given, bool alone) {
  const Kind kind = given.value.kind;
  const Job& job = queue.jobs[pair.job];
  const double count = CountsOf(queue, job, pair.partition)[given.value.tres];
  double wanted = Amount(kind, count, TimeOf(queue, pair));
  double limit = given.value.value;
  if (kind == Kind::kMaxTresPerNode) wanted /= NaiveNodes(job);
  if (kind == Kind::kGrpTresMins || kind == Kind::kGrpTresRunMins || kind == Kind::kMaxTresMins ||
      kind == Kind::kMaxTresRunMins || kind == Kind::kMaxTresRunMinsPerAccount) {
    limit *= 60;
  }
  if (given.qos == nullptr && given.grant == nullptr && pair.qos != nullptr &&
      (kind == Kind::kGrpTres || kind == Kind::kMaxTres)) {
    limit *= pair.qos->limit_factor;
  }
  if (kind == Kind::kMinTres) return wanted < limit;
  if (!given.value.tres.empty() && wanted == 0) return false;
  const bool of_job = kind == Kind::kMaxWall || kind == Kind::kMaxTres ||
                      kind == Kind::kMaxTresPerNode || kind == Kind::kMaxTresMins;
  const double running = alone || of_job ? 0 : Running(queue, pair, given);
  double used = 0;
  if (kind == Kind::kGrpWall || kind == Kind::kGrpTresMins) {
    const bool free =
        kind == Kind::kGrpTresMins && pair.qos != nullptr && pair.qos->usage_factor == 0;
    used = free ? 0 : Used(queue, given);
    const bool of_domain = given.grant != nullptr && !given.grant->domain.empty();
    if (!queue.snapshot.policy().enforce.safe || of_domain)
      return !free && used >= limit * (1 - 1e-9);
  }
  return used + running + wanted > limit * (1 + 1e-9);
}

}  // namespace

std::string NaiveLimitReason(const NaiveJobs& queue, const NaivePair& pair) {
  const Levels levels = LevelsOf(queue, pair);
  const auto first = [&](const std::vector<std::vector<Given>>& of,
                         const std::function<bool(const Given&)>& looked_at, bool alone) {
    for (const std::vector<Given>& level : of) {
      for (const Given& given : level) {
        if (!looked_at(given) || !Exceeds(queue, pair, given, alone)) continue;
        return std::string(LimitWord(given.value.kind, given.qos != nullptr, given.value.tres));
      }
    }
    return std::string();
  };
  const auto early = [](const Given& given) { return IsFirstPhase(given.value.kind); };
  const auto late = [](const Given& given) {
    return !IsFirstPhase(given.value.kind) && !IsSubmission(given.value.kind);
  };
  const struct {
    std::function<bool(const Given&)> looked_at;
    bool alone;
  } kPhases[] = {{early, false}, {IsOfNodes, true}, {late, false}};
  for (const auto& phase : kPhases) {
    for (const auto& of : {levels.of_qos, levels.of_associations}) {
      const std::string word = first(of, phase.looked_at, phase.alone);
      if (!word.empty()) return word;
    }
  }
  return "";
}

bool NaiveOverNodesOrTime(const NaiveJobs& queue, const NaivePair& pair) {
  const Levels levels = LevelsOf(queue, pair);
  for (const auto& of : {levels.of_qos, levels.of_associations}) {
    for (const std::vector<Given>& level : of) {
      for (const Given& given : level) {
        const bool looked_at = given.value.kind == Kind::kMaxWall || IsOfNodes(given);
        if (looked_at && Exceeds(queue, pair, given, true)) return true;
      }
    }
  }
  return false;
}

}  // namespace priorityd::priority
