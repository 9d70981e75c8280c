#include "server/status/status_warnings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "server/status/domain_standstill.h"

namespace priorityd::status {
namespace {

// A recalculation is late when it is overdue by this and by its cluster's period.
constexpr absl::Duration kLate = absl::Minutes(1);
constexpr size_t kShownMembers = 10;

std::string Text(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

class Warnings {
 public:
  // A warning that needs action.
  void Act(const char* reason, std::string text) { Add(reason, std::move(text), true); }
  void Note(const char* reason, std::string text) { Add(reason, std::move(text), false); }

  std::vector<StatusWarning> Take() && { return std::move(warnings_); }

 private:
  void Add(const char* reason, std::string text, bool needs_action) {
    warnings_.push_back({reason, std::move(text), needs_action});
  }

  std::vector<StatusWarning> warnings_;
};

bool IsGone(const StatusFacts::Replica& replica) {
  return !replica.answers && replica.unseen_for > kReplicaGone;
}

void JudgeDatabase(const StatusFacts& facts, Warnings* warnings) {
  const StatusFacts::Database& database = facts.database;
  if (facts.database.is_unreachable) {
    warnings->Act(
        "DATABASE_UNREACHABLE",
        absl::StrCat("The database has not answered for ", Text(database.answered_before),
                     database.last_error.empty() ? "" : " (", database.last_error,
                     database.last_error.empty() ? "" : ")",
                     ": rankings continue from the last snapshots, recording and updates fail. "
                     "Check that PostgreSQL runs and that this host can connect to it."));
  }
  if (facts.stale_for > facts.max_staleness) {
    warnings->Act(
        "SNAPSHOT_STALE",
        absl::StrCat("Snapshots have not been confirmed as the newest for ", Text(facts.stale_for),
                     ", longer than --max_staleness: health "
                     "checks fail. Send frontends to another replica until the "
                     "database answers this one."));
  }
}

void JudgeLeader(const StatusFacts& facts, Warnings* warnings) {
  if (!facts.clock_agrees) {
    warnings->Act(
        "CLOCK_OFF",
        absl::StrCat("This host's clock is ",
                     absl::FormatDuration(absl::Trunc(facts.clock_ahead, absl::Milliseconds(1))),
                     " ahead of the database's, more than --max_clock_offset: this "
                     "replica does not lead. Set the clock that is wrong (chronyc "
                     "tracking)."));
  }
  const bool is_led =
      facts.leads || absl::c_any_of(facts.replicas, [](const StatusFacts::Replica& replica) {
        return replica.leads && !replica.answers && !IsGone(replica);
      });
  if (is_led || facts.database.is_unreachable || facts.replicas.empty()) return;
  warnings->Act("NO_LEADER",
                "No replica leads: nothing is recalculated. A replica takes over within seconds; "
                "if none does, check the logs and the clocks.");
}

void JudgeClusters(const StatusFacts& facts, Warnings* warnings) {
  for (const StatusFacts::Cluster& cluster : facts.clusters) {
    const absl::Duration late = cluster.late_by;
    if (late <= std::max(kLate, cluster.period)) continue;
    warnings->Act(
        "RECALCULATION_LATE",
        absl::StrCat("Cluster ", cluster.name, " should have been recalculated ", Text(late),
                     " ago. The leader's log states the reason; `prioctl --cluster=", cluster.name,
                     " recalculate` tries again at once."));
  }
}

// Recalculations follow the database's clock, so a snapshot is ahead by that clock's jitter at
// most.
void JudgeFuture(const StatusFacts& facts, Warnings* warnings) {
  for (const StatusFacts::Cluster& cluster : facts.clusters) {
    const absl::Duration ahead = cluster.ahead_by;
    if (ahead <= facts.max_clock_offset) continue;
    warnings->Act(
        "SNAPSHOT_IN_FUTURE",
        absl::StrCat(
            "The snapshot of cluster ", cluster.name, " is of a time ", Text(ahead),
            " in the future: until then its usage does not decay and new usage does not count. The "
            "database's clock was wrong. Check that it is right now, then run `prioctl --cluster=",
            cluster.name, " recalculate --forget-future`."));
  }
}

void JudgeIngest(const StatusFacts& facts, Warnings* warnings) {
  const absl::Duration committing = facts.committing_for;
  if (committing <= facts.max_commit) return;
  warnings->Act("RECORDING_STALLED",
                absl::StrCat("A commit of usage records has been running for ", Text(committing),
                             ", longer than --max_commit. See in pg_stat_activity what it waits "
                             "for: a lock, a synchronous standby, the disk."));
}

void JudgeReplicas(const StatusFacts& facts, Warnings* warnings) {
  if (facts.database.is_unreachable) return;  // What the other replicas reported is unknown too.
  for (const StatusFacts::Replica& replica : facts.replicas) {
    if (!IsGone(replica)) continue;
    warnings->Act(
        "REPLICA_GONE",
        absl::StrCat("The replica at ", replica.address, " (", replica.name,
                     ") has reported nothing for ", Text(replica.unseen_for),
                     ". Restart it or ignore this: the replica is forgotten after an hour."));
  }
}

void NoteReplicas(const StatusFacts& facts, Warnings* warnings) {
  for (const StatusFacts::Replica& replica : facts.replicas) {
    if (replica.version == facts.version || IsGone(replica)) continue;
    warnings->Note("REPLICA_VERSION", absl::StrCat("The replica at ", replica.address,
                                                   " runs version ", replica.version, ", this one ",
                                                   facts.version, ": finish the upgrade."));
  }
}

void JudgeMembers(const StatusFacts& facts, Warnings* warnings) {
  for (const StatusFacts::Member& member : facts.members) {
    if (member.refused > 0) {
      warnings->Act("DOMAIN_RECORDS_REFUSED",
                    absl::StrCat("The usage domain ", member.domain, " refused ", member.refused,
                                 " records of its member ", member.name, ". `prioctl domain list ",
                                 member.domain, "` states the reason of the last one."));
    }
    if (member.silent_for <= kMemberSilent) continue;
    warnings->Note(
        "DOMAIN_MEMBER_SILENT",
        absl::StrCat("No usage record of cluster ", member.name, ", a member of the usage domain ",
                     member.domain, ", ended in the last ", Text(member.silent_for),
                     ". Check its collector, unless the cluster is idle."));
  }
}

using MembersByDomain = std::map<std::string, std::vector<std::string>>;

using ClustersByName = absl::flat_hash_map<absl::string_view, const StatusFacts::Cluster*>;

ClustersByName ByName(const StatusFacts& facts) {
  ClustersByName clusters;
  for (const StatusFacts::Cluster& cluster : facts.clusters) clusters[cluster.name] = &cluster;
  return clusters;
}

ClusterPace PaceOfFacts(const StatusFacts::Cluster& cluster) {
  return {.is_manual = cluster.generation > 0 && cluster.period == absl::ZeroDuration(),
          .period = cluster.period,
          .late_by = cluster.late_by};
}

std::string FirstOf(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kShownMembers);
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + shown, ", "),
                      names.size() > shown ? ", ..." : "");
}

// Members on a manual clock are left out: they stand still themselves.
MembersByDomain RunningMembers(const StatusFacts& facts, const ClustersByName& clusters) {
  MembersByDomain members;
  for (const StatusFacts::Member& member : facts.members) {
    const auto cluster = clusters.find(member.name);
    if (cluster != clusters.end() && PaceOfFacts(*cluster->second).is_manual) continue;
    members[member.domain].push_back(member.name);
  }
  return members;
}

// A domain that is not recalculated leaves its members the fair-share that they have.
void JudgeDomains(const StatusFacts& facts, Warnings* warnings) {
  const ClustersByName clusters = ByName(facts);
  const MembersByDomain running = RunningMembers(facts, clusters);
  for (const auto& [name, members] : running) {
    const auto found = clusters.find(name);
    if (found == clusters.end()) continue;
    const StatusFacts::Cluster* domain = found->second;
    const Standstill standstill = StandstillOf(PaceOfFacts(*domain), /*member_is_manual=*/false);
    if (standstill == Standstill::kManualClock) {
      warnings->Note("DOMAIN_STANDS_STILL",
                     absl::StrCat("The usage domain ", name, " is on a manual clock: its members ",
                                  FirstOf(members),
                                  " keep the fair-share of its last "
                                  "recalculation until `prioctl --cluster=",
                                  name, " recalculate`."));
    } else if (standstill == Standstill::kOverdue) {
      warnings->Act("DOMAIN_STANDS_STILL",
                    absl::StrCat("The usage domain ", name, " should have been recalculated ",
                                 Text(domain->late_by), " ago: its members ", FirstOf(members),
                                 " keep the fair-share that it had before, and their usage since "
                                 "then does not count in it. The leader's log states the reason."));
    }
  }
}

void NoteLoad(const StatusFacts& facts, Warnings* warnings) {
  const StatusFacts::Database& database = facts.database;
  if (database.waiting > 0) {
    warnings->Note(
        "CONNECTIONS_IN_USE",
        absl::StrCat("All ", database.connections,
                     " database connections are in use "
                     "and ",
                     database.waiting, " calls wait for one: the database is slow or overloaded."));
  }
  if (facts.request_bytes > facts.memory_budget / 10 * 9) {
    warnings->Note("MEMORY_BUDGET",
                   "Requests take more than nine tenths of --memory_budget: further ones will be "
                   "refused. Send smaller requests or raise the budget.");
  }
}

void NoteSettings(const StatusFacts& facts, Warnings* warnings) {
  if (facts.clusters.empty()) {
    warnings->Note("NO_CLUSTER", "There is no cluster yet: run `prioctl import slurm-conf FILE`.");
  }
  for (const StatusFacts::Cluster& cluster : facts.clusters) {
    if (cluster.generation > 0) continue;
    warnings->Note("NO_SNAPSHOT", absl::StrCat("Cluster ", cluster.name,
                                               " has not been recalculated yet: import the missing "
                                               "data, or run `prioctl recalculate`."));
  }
  if (!facts.is_authenticated) {
    warnings->Note("NO_AUTHENTICATION",
                   absl::StrCat("No --auth_file: every client that can connect to ", facts.address,
                                " is an administrator (docs/security.md)."));
  }
  if (facts.is_grpc_exposed) {
    warnings->Note("GRPC_EXPOSED",
                   absl::StrCat("Other hosts can reach gRPC at ", facts.address,
                                " without a proxy: one unauthenticated connection can exhaust the "
                                "memory (docs/operations.md, Behind HAProxy)."));
  }
  if (!facts.deferred_migrations.empty()) {
    warnings->Note(
        "CONTRACT_DEFERRED",
        absl::StrCat("Migrations are deferred (", absl::StrJoin(facts.deferred_migrations, ", "),
                     "): run `priorityd --migrate_only --contract` once no older version runs."));
  }
}

}  // namespace

std::vector<StatusWarning> WarningsOf(const StatusFacts& facts) {
  Warnings warnings;
  for (const auto judge :
       {JudgeDatabase, JudgeLeader, JudgeClusters, JudgeFuture, JudgeIngest, JudgeReplicas,
        JudgeMembers, JudgeDomains, NoteReplicas, NoteLoad, NoteSettings}) {
    judge(facts, &warnings);
  }
  return std::move(warnings).Take();
}

}  // namespace priorityd::status
