#include "engine/explanation/limit_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/explanation/grant_text.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::explanation {
namespace {

using priority::ExceededLimit;
using priority::Limit;
using priority::LimitMeasure;
using priority::LimitScope;

// Longer times mean that the job has no time limit.
constexpr double kUnlimitedSeconds = 4294967295.0 * 60;

bool IsOfTime(const Limit& limit) {
  const LimitMeasure measure = limit.rule().measure;
  return measure == LimitMeasure::kWall || measure == LimitMeasure::kTresSeconds;
}

// A limit in the unit in which sacctmgr shows it.
std::string Most(const Limit& limit, double value) {
  return numbers::NumberText(IsOfTime(limit) ? value / 60 : value, 9);
}

// A value that is compared with the limit.
std::string Figure(const Limit& limit, double value) {
  return IsOfTime(limit) && value >= kUnlimitedSeconds ? "UNLIMITED" : Most(limit, value);
}

// The owner of the limit and the jobs that it counts: `user ann: QOS high`.
std::string Holder(const priority::Snapshot& snapshot, const Limit& limit,
                   priority::AssociationIndex association) {
  const priority::AssociationTree& tree = snapshot.tree();
  const LimitScope scope = limit.rule().scope;
  if (limit.of_qos()) {
    const std::string qos = absl::StrCat("QOS ", snapshot.qos()[limit.qos].name);
    if (scope == LimitScope::kUser) {
      return absl::StrCat("user ", tree.user(association), ": ", qos);
    }
    if (scope == LimitScope::kAccount) {
      return absl::StrCat("account ", tree.account(association), ": ", qos);
    }
    return qos;
  }
  const bool of_user = tree.is_user(limit.association) || scope == LimitScope::kUser;
  if (!of_user) return absl::StrCat("account ", tree.account(limit.association));
  return absl::StrCat("user ", tree.user(association), " in account ", tree.account(association));
}

std::string LimitName(const priority::Snapshot& snapshot, const Limit& limit) {
  const priority::LimitRule& rule = limit.rule();
  const absl::string_view name = limit.of_qos() ? rule.qos_name : rule.association_name;
  if (limit.tres == Limit::kNoTres) return std::string(name);
  return absl::StrCat(name, " ", snapshot.limits().tres()[limit.tres]);
}

// `64 CPUs`, `4 gres/gpu`.
std::string Amount(const priority::Snapshot& snapshot, const Limit& limit, double value) {
  const std::string figure = Most(limit, value);
  if (limit.rule().measure == LimitMeasure::kWall) return absl::StrCat(figure, " minutes");
  if (limit.tres == Limit::kNoTres) return absl::StrCat(figure, " jobs");
  const absl::string_view tres = snapshot.limits().tres()[limit.tres];
  return absl::StrCat(figure, " ",
                      tres == "cpu"    ? "CPUs"
                      : tres == "mem"  ? "MB of memory"
                      : tres == "node" ? "nodes"
                                       : tres);
}

// A limit on running jobs: `may run 64 CPUs (GrpTRES cpu=64): 60 run, this job requests 8`.
std::string RunningText(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  const std::string most = Most(limit, exceeded.bound);
  std::string text = absl::StrCat(" may run ", Amount(snapshot, limit, exceeded.bound), " (",
                                  LimitName(snapshot, limit), "=", most,
                                  "): ", Figure(limit, exceeded.running), " run");
  if (limit.tres == Limit::kNoTres) return text;
  return absl::StrCat(text, ", this job requests ", Figure(limit, exceeded.wanted));
}

// A limit per job: `lets a job have 4 CPUs (MaxTRES cpu=4): this job requests 5`.
std::string AloneText(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  const priority::LimitRule& rule = limit.rule();
  const bool timed = rule.measure == LimitMeasure::kWall;
  const bool per_node = rule.measure == LimitMeasure::kTresPerNode;
  return absl::StrCat(rule.is_least ? " requires at least "
                      : timed       ? " lets a job run "
                                    : " lets a job have ",
                      Amount(snapshot, limit, exceeded.bound), per_node ? " on a node" : "",
                      rule.is_least ? " in a job (" : " (", LimitName(snapshot, limit), "=",
                      Most(limit, exceeded.bound), "): this job requests ",
                      Figure(limit, exceeded.wanted));
}

// `10 for running jobs + 25 for this job`.
// `seconds`: the TRES-seconds of a unit.
std::string DemandText(const ExceededLimit& exceeded, double seconds = 60) {
  const auto figure = [&](double value) {
    return value < kUnlimitedSeconds ? Figure(*exceeded.limit, value * 60 / seconds)
                                     : Figure(*exceeded.limit, value);
  };
  const std::string running =
      exceeded.running > 0 ? absl::StrCat(figure(exceeded.running), " for running jobs + ") : "";
  return absl::StrCat(running, figure(exceeded.wanted), " for this job");
}

// `80 used + 25 for this job = 105`.
std::string Arithmetic(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const priority::LimitRule& rule = exceeded.limit->rule();
  const auto figure = [&](double value) { return Figure(*exceeded.limit, value); };
  // Without `safe` only past usage counts.
  const bool used_up = rule.counts_usage && !snapshot.policy().enforce.safe;
  if (used_up) return absl::StrCat(figure(exceeded.used), " used");
  const std::string used = rule.counts_usage ? absl::StrCat(figure(exceeded.used), " used + ") : "";
  const std::string text = absl::StrCat(used, DemandText(exceeded));
  if (!rule.counts_usage && exceeded.running == 0) return text;
  return absl::StrCat(text, " = ", figure(exceeded.used + exceeded.running + exceeded.wanted));
}

// `: GrpTRESMins billing=100: 80 used + 25 for this job = 105`.
std::string SumText(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  const absl::string_view unit = limit.rule().measure == LimitMeasure::kWall ? " minutes=" : "=";
  return absl::StrCat(": ", LimitName(snapshot, limit), unit, Most(limit, exceeded.bound), ": ",
                      Arithmetic(snapshot, exceeded));
}

// A cap: ` is used up until 2026-12-31T00:00:00+00:00: its jobs may run 8 gres/gpu: 6 run, this job
// requests 4`.
std::string CapText(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  return absl::StrCat(" is used up", UntilText(snapshot, snapshot.grants()[limit.grant]),
                      ": its jobs may run ", Amount(snapshot, limit, exceeded.bound), ": ",
                      Figure(limit, exceeded.running), " run, this job requests ",
                      Figure(limit, exceeded.wanted));
}

// ` is used up: 110 billing minutes used, with Grace, Borrow and other grants of its owner, until
// 2026-12-31T00:00:00+00:00`; under `safe` ` leaves 20 billing minutes, with ..., until ...: 25 for
// this job`.
std::string GrantSumText(const priority::Snapshot& snapshot, const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  if (!limit.rule().counts_usage) return CapText(snapshot, exceeded);
  const priority::GrantStanding& grant = snapshot.grants()[limit.grant];
  const priority::TresUnit unit = snapshot.UnitOf(grant);
  const auto figure = [&](double seconds) { return Figure(limit, seconds * 60 / unit.seconds); };
  const std::string until = UntilText(snapshot, grant);
  const std::string with = WithText(grant);
  const std::string rest = absl::StrCat(with, with.empty() || until.empty() ? "" : ",", until);
  if (!snapshot.policy().enforce.safe || limit.by_usage_alone) {
    return absl::StrCat(" is used up: ", figure(exceeded.used), " ", unit.name, " used", rest);
  }
  const double left = std::max(exceeded.bound - exceeded.used, 0.0);
  return absl::StrCat(" leaves ", figure(left), " ", unit.name, rest, ": ",
                      DemandText(exceeded, unit.seconds));
}

}  // namespace

std::string LimitText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                      const ExceededLimit& exceeded) {
  const Limit& limit = *exceeded.limit;
  if (limit.of_grant()) {
    return absl::StrCat(
        GrantName(snapshot.tree(), snapshot.grants()[limit.grant], limit.association),
        GrantSumText(snapshot, exceeded));
  }
  const priority::LimitRule& rule = limit.rule();
  const bool summed = rule.counts_usage || rule.measure == LimitMeasure::kTresSeconds;
  return absl::StrCat(Holder(snapshot, limit, association), summed ? SumText(snapshot, exceeded)
                                                            : rule.scope == LimitScope::kJob
                                                                ? AloneText(snapshot, exceeded)
                                                                : RunningText(snapshot, exceeded));
}

}  // namespace priorityd::explanation
