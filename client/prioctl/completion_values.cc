#include "client/prioctl/completion_values.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/global_options.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;
using Names = std::set<std::string>;

// A shell waits for the answer, and so does the user.
constexpr absl::Duration kPatience = absl::Seconds(1);

// The name of each row of an answer; none without an answer.
template <typename Answer, typename Rows>
Names NamesIn(const absl::StatusOr<Answer>& answer, Rows rows) {
  Names names;
  if (!answer.ok()) return names;
  for (const auto& row : rows(*answer)) names.insert(row.name());
  return names;
}

Names Accounts(const client::PriorityClient& client) {
  v1::ListSharesRequest request;
  request.set_accounts_only(true);
  Names names;
  const auto answer = client.ListAllShares(request);
  if (!answer.ok()) return names;
  for (const v1::AssociationShare& share : answer->shares()) names.insert(share.account());
  return names;
}

Names Jobs(const client::PriorityClient& client) {
  v1::ListJobsRequest request;
  request.add_users(CallingUser());
  Names names;
  for (int round = 0; round < 2 && names.empty(); ++round, request.clear_users()) {
    const auto answer = client.ListAllJobs(request);
    if (!answer.ok()) break;
    for (const v1::TrackedJob& tracked : answer->jobs()) names.insert(tracked.job().job_id());
  }
  return names;
}

Names NamesOf(NameKind kind, const client::PriorityClient& client) {
  switch (kind) {
    case NameKind::kAccount:
      return Accounts(client);
    case NameKind::kJob:
      return Jobs(client);
    case NameKind::kCluster:
      return NamesIn(client.ListClusters({}), [](const auto& a) { return a.clusters(); });
    case NameKind::kUser:
      return NamesIn(client.ListAllUsers({}), [](const auto& a) { return a.users(); });
    case NameKind::kQos:
      return NamesIn(client.ListQos({}), [](const auto& a) { return a.qos(); });
    case NameKind::kPartition:
      return NamesIn(client.ListPartitions({}), [](const auto& a) { return a.partitions(); });
    case NameKind::kGrant:
      return NamesIn(client.ListGrants({}), [](const auto& a) { return a.grants(); });
    case NameKind::kReservation:
      return NamesIn(client.ListReservations({}), [](const auto& a) { return a.reservations(); });
  }
  return {};
}

// Whether every shell takes the name as it is; letters beyond ASCII are words to all.
bool IsPlain(absl::string_view name) {
  return absl::c_all_of(name, [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("._-+@/%", absl::string_view(&c, 1)) ||
           (c & 0x80) != 0;
  });
}

absl::Status PrintNames(const MissingName& missing, const client::PriorityClient& client,
                        Console& console) {
  for (const std::string& name : NamesOf(missing.kind, client)) {
    if (!absl::StartsWith(name, missing.prefix) || !IsPlain(name)) continue;
    console.out << missing.stem << name << '\n';
  }
  return absl::OkStatus();
}

}  // namespace

void CompleteName(const MissingName& missing, CommandLine& line) {
  CLI::App connection;
  AddGlobalOptions(connection, line);
  AddSecurityOptions(connection, line);
  std::vector<std::string> reversed(missing.connection.rbegin(), missing.connection.rend());
  connection.parse(std::move(reversed));
  SettleCluster(line);
  line.timeout = kPatience;
  line.retries = Retries::kNone;
  line.run = [missing](const client::PriorityClient& client, Console& console) {
    return PrintNames(missing, client, console);
  };
}

}  // namespace priorityd::prioctl
