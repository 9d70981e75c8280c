#include "server/api/status/status_warnings.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// A recalculation is late when it is overdue by this and by its cluster's period.
constexpr absl::Duration kLate = absl::Minutes(1);

std::string Text(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

class Warnings {
 public:
  explicit Warnings(v1::GetStatusResponse* status) : status_(status) {}

  // A warning that needs action.
  void Act(const char* reason, std::string text) { Add(reason, std::move(text), true); }
  void Note(const char* reason, std::string text) { Add(reason, std::move(text), false); }

 private:
  void Add(const char* reason, std::string text, bool needs_action) {
    v1::StatusWarning* warning = status_->add_warnings();
    warning->set_reason(reason);
    warning->set_text(std::move(text));
    warning->set_needs_action(needs_action);
  }

  v1::GetStatusResponse* const status_;
};

bool IsGone(const v1::ReplicaStatus& replica) {
  return !replica.answers() && ToDuration(replica.unseen_for()) > kReplicaGone;
}

void JudgeDatabase(const StatusFacts& facts, const v1::GetStatusResponse& status,
                   Warnings* warnings) {
  const v1::DatabaseStatus& database = status.database();
  if (facts.is_database_unreachable) {
    warnings->Act(
        "DATABASE_UNREACHABLE",
        absl::StrCat("The database has not answered for ",
                     Text(ToDuration(database.answered_before())),
                     database.last_error().empty() ? "" : " (", database.last_error(),
                     database.last_error().empty() ? "" : ")",
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

void JudgeLeader(const StatusFacts& facts, const v1::GetStatusResponse& status,
                 Warnings* warnings) {
  if (!status.clock_agrees()) {
    warnings->Act("CLOCK_OFF",
                  absl::StrCat("This host's clock is ",
                               absl::FormatDuration(absl::Trunc(ToDuration(status.clock_ahead()),
                                                                absl::Milliseconds(1))),
                               " ahead of the database's, more than --max_clock_offset: this "
                               "replica does not lead. Set the clock that is wrong (chronyc "
                               "tracking)."));
  }
  const bool is_led =
      status.leader() || absl::c_any_of(status.replicas(), [](const v1::ReplicaStatus& replica) {
        return replica.leader() && !replica.answers() && !IsGone(replica);
      });
  if (is_led || facts.is_database_unreachable || status.replicas().empty()) return;
  warnings->Act("NO_LEADER",
                "No replica leads: nothing is recalculated. A replica takes over within seconds; "
                "if none does, check the logs and the clocks.");
}

void JudgeClusters(const v1::GetStatusResponse& status, Warnings* warnings) {
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    const absl::Duration late = ToDuration(cluster.late_by());
    if (late <= std::max(kLate, ToDuration(cluster.period()))) continue;
    warnings->Act(
        "RECALCULATION_LATE",
        absl::StrCat("Cluster ", cluster.cluster(), " should have been recalculated ", Text(late),
                     " ago. The leader's log states the reason; `prioctl --cluster=",
                     cluster.cluster(), " recalculate` tries again at once."));
  }
}

// Recalculations follow the database's clock, so a snapshot is ahead by that clock's jitter at
// most.
void JudgeFuture(const StatusFacts& facts, const v1::GetStatusResponse& status,
                 Warnings* warnings) {
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    const absl::Duration ahead = ToDuration(cluster.ahead_by());
    if (ahead <= facts.max_clock_offset) continue;
    warnings->Act(
        "SNAPSHOT_IN_FUTURE",
        absl::StrCat(
            "The snapshot of cluster ", cluster.cluster(), " is of a time ", Text(ahead),
            " in the future: until then its usage does not decay and new usage does not count. The "
            "database's clock was wrong. Check that it is right now, then run `prioctl --cluster=",
            cluster.cluster(), " recalculate --forget-future`."));
  }
}

void JudgeIngest(const StatusFacts& facts, const v1::GetStatusResponse& status,
                 Warnings* warnings) {
  const absl::Duration committing = ToDuration(status.ingest().committing_for());
  if (committing <= facts.max_commit) return;
  warnings->Act("RECORDING_STALLED",
                absl::StrCat("A commit of usage records has been running for ", Text(committing),
                             ", longer than --max_commit. See in pg_stat_activity what it waits "
                             "for: a lock, a synchronous standby, the disk."));
}

void JudgeReplicas(const StatusFacts& facts, const v1::GetStatusResponse& status,
                   Warnings* warnings) {
  if (facts.is_database_unreachable) return;  // What the other replicas reported is unknown too.
  for (const v1::ReplicaStatus& replica : status.replicas()) {
    if (!IsGone(replica)) continue;
    warnings->Act(
        "REPLICA_GONE",
        absl::StrCat("The replica at ", replica.address(), " (", replica.name(),
                     ") has reported nothing for ", Text(ToDuration(replica.unseen_for())),
                     ". Restart it or ignore this: the replica is forgotten after an hour."));
  }
}

void NoteReplicas(const v1::GetStatusResponse& status, Warnings* warnings) {
  for (const v1::ReplicaStatus& replica : status.replicas()) {
    if (replica.version() == status.version() || IsGone(replica)) continue;
    warnings->Note(
        "REPLICA_VERSION",
        absl::StrCat("The replica at ", replica.address(), " runs version ", replica.version(),
                     ", this one ", status.version(), ": finish the upgrade."));
  }
}

void NoteLoad(const v1::GetStatusResponse& status, Warnings* warnings) {
  const v1::DatabaseStatus& database = status.database();
  if (database.waiting() > 0) {
    warnings->Note("CONNECTIONS_IN_USE",
                   absl::StrCat("All ", database.connections(),
                                " database connections are in use "
                                "and ",
                                database.waiting(),
                                " calls wait for one: the database is slow or overloaded."));
  }
  const v1::MemoryStatus& memory = status.memory();
  if (memory.request_bytes() > memory.budget_bytes() / 10 * 9) {
    warnings->Note("MEMORY_BUDGET",
                   "Requests take more than nine tenths of --memory_budget: further ones will be "
                   "refused. Send smaller requests or raise the budget.");
  }
}

void NoteSettings(const StatusFacts& facts, const v1::GetStatusResponse& status,
                  Warnings* warnings) {
  if (status.clusters().empty()) {
    warnings->Note("NO_CLUSTER", "There is no cluster yet: run `prioctl import slurm-conf FILE`.");
  }
  for (const v1::ClusterStatus& cluster : status.clusters()) {
    if (cluster.generation() > 0) continue;
    warnings->Note("NO_SNAPSHOT", absl::StrCat("Cluster ", cluster.cluster(),
                                               " has not been recalculated yet: import the missing "
                                               "data, or run `prioctl recalculate`."));
  }
  if (!facts.is_authenticated) {
    warnings->Note("NO_AUTHENTICATION",
                   absl::StrCat("No --auth_file: every client that can connect to ",
                                status.address(), " is an administrator (docs/security.md)."));
  }
  if (facts.is_grpc_exposed) {
    warnings->Note("GRPC_EXPOSED",
                   absl::StrCat("Other hosts can reach gRPC at ", status.address(),
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

void AddWarnings(const StatusFacts& facts, v1::GetStatusResponse* status) {
  Warnings warnings(status);
  JudgeDatabase(facts, *status, &warnings);
  JudgeLeader(facts, *status, &warnings);
  JudgeClusters(*status, &warnings);
  JudgeFuture(facts, *status, &warnings);
  JudgeIngest(facts, *status, &warnings);
  JudgeReplicas(facts, *status, &warnings);
  NoteReplicas(*status, &warnings);
  NoteLoad(*status, &warnings);
  NoteSettings(facts, *status, &warnings);
}

}  // namespace priorityd::rpc
