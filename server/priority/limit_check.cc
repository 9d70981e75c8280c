#include "server/priority/limit_check.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/priority/job_demand.h"

namespace priorityd {
namespace {

constexpr double kTolerance = 1e-9;

absl::Duration TimeLimitOf(const Snapshot& snapshot, const Job& job, int partition) {
  if (job.time_limit.has_value()) return *job.time_limit;
  if (partition < 0) return absl::InfiniteDuration();
  const Partition& defaults = snapshot.partitions()[partition];
  return defaults.default_time.value_or(defaults.max_time);
}

std::string Minutes(double seconds) {
  return std::isinf(seconds) ? "UNLIMITED" : absl::StrFormat("%.9g", seconds / 60);
}

}  // namespace

// What one job takes up over `seconds`.
class LimitCheck::Demand {
 public:
  Demand(const UsageLimits& limits, const Job& job, int partition, double seconds,
         JobBilling& billing)
      : limits_(limits), job_(job), partition_(partition), seconds_(seconds), billing_(billing) {}

  double Of(const UsageLimit& limit) {
    if (limit.tres == UsageLimit::kWall) return seconds_;
    const double count = CountOf(limits_.tres()[limit.tres]);
    return count == 0 ? 0 : count * seconds_;
  }

 private:
  double CountOf(const std::string& tres) {
    if (tres != "billing") return TresCountOf(job_, tres);
    if (priced_ < 0) priced_ = billing_.Count(job_, partition_);
    return priced_;
  }

  const UsageLimits& limits_;
  const Job& job_;
  int partition_;
  double seconds_;
  JobBilling& billing_;
  double priced_ = -1;  // The billing count; negative = not priced yet.
};

LimitCheck::LimitCheck(const Snapshot& snapshot, absl::Span<const Job> jobs, const JobTable& table,
                       absl::Time as_of)
    : snapshot_(snapshot), limits_(snapshot.usage_limits()) {
  if (limits_.empty()) return;
  running_.resize(limits_.limits().size());
  if (const UsageDecay* decay = snapshot.decay(); decay != nullptr) {
    const absl::Time from = snapshot.computed_at();
    kept_ = decay->Carry(1, from, std::max(from, as_of));
    kept_by_no_decay_ = UsageDecay({}, decay->reset()).Carry(1, from, std::max(from, as_of));
  }
  AddRunning(jobs, table);
}

void LimitCheck::AddRunning(absl::Span<const Job> jobs, const JobTable& table) {
  JobBilling billing(snapshot_);
  for (uint32_t i = 0; i < jobs.size(); ++i) {
    const AssociationIndex association = table.association[i];
    if (jobs[i].state == JobState::kPending || association == kNoAssociation) continue;
    const uint32_t row = table.first_row[i];
    const bool resolved = row < table.first_row[i + 1];
    const int partition = resolved ? table.partition[row] : -1;
    const int qos = resolved ? table.qos[row] : -1;
    Demand demand(limits_, jobs[i], partition, SecondsLeft(jobs[i], partition), billing);
    for (const auto& chain : {limits_.OfAssociation(association), limits_.OfQos(qos)}) {
      for (const int32_t limit : chain) running_[limit] += demand.Of(limits_.limits()[limit]);
    }
  }
}

double LimitCheck::SecondsLeft(const Job& job, int partition) const {
  absl::Duration left = TimeLimitOf(snapshot_, job, partition);
  if (job.start_time.has_value()) {
    const absl::Time until = std::max(snapshot_.RecordedUntil(job.job_id), *job.start_time);
    left -= until - *job.start_time;
  }
  return std::max(0.0, absl::ToDoubleSeconds(left));
}

std::optional<ExceededLimit> LimitCheck::FirstExceeded(const Job& job, AssociationIndex association,
                                                       int partition, int qos,
                                                       JobBilling& billing) const {
  Demand demand(limits_, job, partition,
                absl::ToDoubleSeconds(TimeLimitOf(snapshot_, job, partition)), billing);
  for (const auto& chain : {limits_.OfAssociation(association), limits_.OfQos(qos)}) {
    for (const int32_t index : chain) {
      const UsageLimit& limit = limits_.limits()[index];
      const bool no_decay = limit.of_qos() && snapshot_.qos()[limit.qos].no_decay;
      ExceededLimit sum;
      sum.limit = &limit;
      sum.used = limit.used * (no_decay ? kept_by_no_decay_ : kept_);
      sum.running = running_[index];
      sum.wanted = demand.Of(limit);
      if (sum.used + sum.running + sum.wanted > limit.limit * (1 + kTolerance)) return sum;
    }
  }
  return std::nullopt;
}

bool LimitCheck::Concerned(AssociationIndex association, int qos) const {
  return !limits_.OfAssociation(association).empty() || !limits_.OfQos(qos).empty();
}

void LimitCheck::Apply(absl::Span<const Job> jobs, JobTable& table) const {
  if (limits_.empty()) return;
  JobBilling billing(snapshot_);
  for (size_t row = 0; row < table.rows(); ++row) {
    const uint32_t job = table.job[row];
    const AssociationIndex association = table.association[job];
    if (table.Running(row) || !Concerned(association, table.qos[row])) continue;
    if (table.reason[row] < Reason::kAssocGrpTresMinutes) continue;
    const auto exceeded =
        FirstExceeded(jobs[job], association, table.partition[row], table.qos[row], billing);
    if (exceeded.has_value()) table.reason[row] = ReasonOf(*exceeded->limit);
  }
}

Reason LimitCheck::ReasonOf(const UsageLimit& limit) {
  if (limit.tres == UsageLimit::kWall) {
    return limit.of_qos() ? Reason::kQosGrpWall : Reason::kAssocGrpWall;
  }
  return limit.of_qos() ? Reason::kQosGrpTresMinutes : Reason::kAssocGrpTresMinutes;
}

std::string LimitCheck::Holder(const UsageLimit& limit) const {
  if (limit.of_qos()) return absl::StrCat("QOS ", snapshot_.qos()[limit.qos].name);
  const AssociationTree& tree = snapshot_.tree();
  if (!tree.is_user(limit.association)) {
    return absl::StrCat("account ", tree.account(limit.association));
  }
  return absl::StrCat("user ", tree.user(limit.association), " in account ",
                      tree.account(limit.association));
}

std::string LimitCheck::Message(const ExceededLimit& exceeded) const {
  const UsageLimit& limit = *exceeded.limit;
  const std::string name = limit.tres == UsageLimit::kWall
                               ? "GrpWall minutes"
                               : absl::StrCat("GrpTRESMins ", limits_.tres()[limit.tres]);
  std::string text = absl::StrCat(Holder(limit), ": ", name, "=", Minutes(limit.limit), ": ",
                                  Minutes(exceeded.used), " used");
  if (exceeded.running > 0) {
    absl::StrAppend(&text, " + ", Minutes(exceeded.running), " for running jobs");
  }
  absl::StrAppend(&text, " + ", Minutes(exceeded.wanted),
                  " for this job = ", Minutes(exceeded.used + exceeded.running + exceeded.wanted));
  return text;
}

}  // namespace priorityd
