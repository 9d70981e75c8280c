#include "absl/status/status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

// The exit status if an operator has to act.
constexpr int kNeedsAction = 3;

// `prioctl status`
struct StatusOptions {
  bool json = false;
};

using google::protobuf::Duration;
using ::priority::v1::ClusterStatus;
using ::priority::v1::DatabaseStatus;
using ::priority::v1::GetStatusRequest;
using ::priority::v1::GetStatusResponse;
using ::priority::v1::IngestStatus;
using ::priority::v1::ReplicaStatus;
using ::priority::v1::StatusWarning;

// 3m20s, 184ms, 1.5ms: two or three digits.
std::string Short(const Duration& proto) {
  const absl::Duration duration = absl::Seconds(proto.seconds()) + absl::Nanoseconds(proto.nanos());
  const absl::Duration length = absl::AbsDuration(duration);
  const absl::Duration unit = length >= absl::Seconds(1)         ? absl::Seconds(1)
                              : length >= absl::Milliseconds(10) ? absl::Milliseconds(1)
                                                                 : absl::Microseconds(10);
  return absl::FormatDuration(absl::Trunc(duration, unit));
}

std::string Mebibytes(int64_t bytes) { return CountText(bytes >> 20); }

// 0.327, 12.5, 1,204.
std::string Rate(double per_second) {
  constexpr double kThreeDigits = 999.5;
  if (per_second >= kThreeDigits) return CountText(numbers::RoundedWhole(per_second));
  return absl::StrFormat("%.3g", per_second);
}

int Urgent(const GetStatusResponse& status) {
  int count = 0;
  for (const StatusWarning& warning : status.warnings()) count += warning.needs_action();
  return count;
}

void PrintVerdict(const GetStatusResponse& status, std::ostream& out) {
  const int urgent = Urgent(status);
  out << "priorityd " << status.version() << " at " << status.address() << ": ";
  if (urgent == 0) {
    out << "OK\n";
  } else {
    out << urgent << (urgent == 1 ? " thing needs" : " things need") << " action\n";
  }
  for (const StatusWarning& warning : status.warnings()) {
    out << (warning.needs_action() ? "! " : "  ") << warning.reason() << ": " << warning.text()
        << '\n';
  }
}

std::string DatabaseText(const DatabaseStatus& database) {
  const std::string server =
      database.server_version().empty()
          ? "not reached yet"
          : absl::StrCat("PostgreSQL ", database.server_version(), ", schema ",
                         database.schema_version(), ", answered ",
                         Short(database.answered_before()), " ago");
  const int64_t changes = database.incarnation() - 1;
  return absl::StrCat(
      server, changes > 0 ? absl::StrCat(", restarted or replaced ", changes, " times") : "", "; ",
      database.connections_in_use(), " of ", database.connections(), " connections in use, ",
      database.waiting(), " calls wait; ", database.connections_opened(), " made, ",
      database.connections_lost(), " lost, ", database.connections_failed(), " failed");
}

std::string IngestText(const IngestStatus& ingest) {
  std::string text = absl::StrCat(Rate(ingest.accepted_per_second()), " records/s accepted, ",
                                  Rate(ingest.duplicates_per_second()), " known already, ",
                                  Rate(ingest.rejected_per_second()), " rejected; ",
                                  CountText(ingest.waiting_records()), " wait");
  if (ingest.waiting_records() > 0) {
    absl::StrAppend(&text, ", the first for ", Short(ingest.longest_wait()));
  }
  return text;
}

void PrintFigures(const GetStatusResponse& status, std::ostream& out) {
  google::protobuf::Timestamp started_at = status.started_at();
  started_at.set_nanos(0);
  const auto& calls = status.calls();
  const auto& memory = status.memory();
  out << "\nProcess   up " << Short(status.uptime()) << " since " << TimeText(started_at)
      << (status.leader() ? ", leads" : ", follows") << "; clock " << Short(status.clock_ahead())
      << " ahead of the database's; " << status.build() << "\nDatabase  "
      << DatabaseText(status.database()) << "\nIngest    " << IngestText(status.ingest())
      << "\nCalls     " << Rate(calls.calls_per_second()) << "/s, "
      << Rate(calls.errors_per_second()) << "/s failed, " << Rate(calls.updates_per_second())
      << " job updates/s; " << calls.usage_streams() << " usage streams, " << calls.watchers()
      << " watchers of " << calls.watched_views() << " rankings\nMemory    "
      << Mebibytes(memory.resident_bytes()) << " MiB; requests in progress "
      << Mebibytes(memory.request_bytes()) << " of " << Mebibytes(memory.budget_bytes())
      << " MiB\n";
}

void PrintClusters(const GetStatusResponse& status, std::ostream& out) {
  Table table({{"CLUSTER"},
               {"GENERATION", true},
               {"AGE", true},
               {"PERIOD", true},
               {"LATE", true},
               {"ASSOCIATIONS", true},
               {"ELIGIBLE", true},
               {"INELIGIBLE", true},
               {"RUNNING", true},
               {"ROLLED UP BEFORE"}});
  for (const ClusterStatus& cluster : status.clusters()) {
    const auto jobs = [&](int64_t count) {
      return cluster.queue_loaded() ? CountText(count) : std::string("-");
    };
    const bool is_manual = cluster.generation() > 0 && !cluster.has_period();
    table.AddRow({cluster.cluster(), absl::StrCat(cluster.generation()),
                  cluster.has_age() ? Short(cluster.age()) : "-",
                  cluster.has_period() ? Short(cluster.period())
                  : is_manual          ? "manual"
                                       : "-",
                  cluster.has_late_by() ? Short(cluster.late_by()) : "-",
                  CountText(cluster.associations()), jobs(cluster.eligible_jobs()),
                  jobs(cluster.ineligible_jobs()), jobs(cluster.running_jobs()),
                  cluster.has_ledger_horizon() ? TimeText(cluster.ledger_horizon()) : "-"});
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
}

void PrintReplicas(const GetStatusResponse& status, std::ostream& out) {
  Table table({{"REPLICA"}, {"VERSION"}, {"ROLE"}, {"SEEN", true}, {"CLOCK", true}, {"NAME"}});
  for (const ReplicaStatus& replica : status.replicas()) {
    table.AddRow({absl::StrCat(replica.address(), replica.answers() ? " *" : ""), replica.version(),
                  replica.leader() ? "leads" : "follows", Short(replica.unseen_for()),
                  Short(replica.clock_ahead()), replica.name()});
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
}

// One screen, whose first line says OK or what is wrong. Sets the exit code.
absl::Status Run(const StatusOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<GetStatusResponse> status = client.GetStatus(GetStatusRequest());
  if (!status.ok()) return status.status();
  if (Urgent(*status) > 0) console.exit_code = kNeedsAction;
  if (options.json) return PrintJson(*status, console.out);
  PrintVerdict(*status, console.out);
  PrintFigures(*status, console.out);
  PrintClusters(*status, console.out);
  PrintReplicas(*status, console.out);
  return absl::OkStatus();
}

void AddStatusOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<StatusOptions>(app, line, Run);
  AddJson(app, options->json);
}

}  // namespace

const Command kStatusCommand = {"status", "The state of the service, with warnings",
                                AddStatusOptions};

}  // namespace priorityd::prioctl
