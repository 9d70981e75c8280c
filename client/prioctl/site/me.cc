#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/grants/grant_text.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/applied_names.h"
#include "client/prioctl/sacctmgr/row.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/account_grants.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

// `prioctl me [USER]`
struct MeOptions {
  std::string user;  // Empty = the calling one.
  bool json = false;
};

namespace v1 = ::priority::v1;

// All that the service returns for a user.
struct Known {
  v1::Caller caller;
  v1::ListUsersResponse users;
  v1::ListAssociationsResponse associations;
  v1::ListSharesResponse shares;
  v1::ListPartitionsResponse partitions;
  v1::ListJobsResponse jobs;
  v1::ListGrantsResponse grants;
  v1::ListGrantsResponse domain_grants;  // Of the usage domain.
};

template <typename Response>
absl::Status MoveInto(absl::StatusOr<Response> response, Response& into) {
  if (response.ok()) into = *std::move(response);
  return response.status();
}

// Without those of other users.
v1::ListGrantsResponse GrantsOf(const std::string& user, v1::ListGrantsResponse list) {
  v1::ListGrantsResponse own = list;
  own.clear_grants();
  for (v1::Grant& grant : *list.mutable_grants()) {
    const std::string of = SettingOf(grant, "User");
    if (of.empty() || of == user) *own.add_grants() = std::move(grant);
  }
  return own;
}

// The grants that the user's jobs are charged to: those of the accounts, in the cluster and in its
// usage domain.
absl::Status AskGrants(const std::string& user, const client::PriorityClient& client,
                       Known& known) {
  v1::ListGrantsRequest request;
  for (const v1::Association& one : known.associations.associations()) {
    if (!absl::c_linear_search(request.accounts(), one.account())) {
      request.add_accounts(one.account());
    }
  }
  if (request.accounts().empty()) return absl::OkStatus();
  auto grants = ListAccountGrants(std::move(request), client);
  if (!grants.ok()) return grants.status();
  known.grants = GrantsOf(user, std::move(grants->own));
  known.domain_grants = GrantsOf(user, std::move(grants->of_domain));
  return absl::OkStatus();
}

absl::Status Ask(const std::string& user, const client::PriorityClient& client, Known& known) {
  v1::ListUsersRequest users;
  users.mutable_where()->add_names(user);
  v1::ListAssociationsRequest associations;
  associations.mutable_where()->add_users(user);
  v1::ListSharesRequest shares;
  shares.add_users(user);
  v1::ListPartitionsRequest partitions;
  partitions.set_user(user);
  v1::ListJobsRequest jobs;
  jobs.add_users(user);
  jobs.set_with_ranking(true);
  absl::Status status = MoveInto(client.ListAllUsers(users), known.users);
  if (status.ok()) status = MoveInto(client.ListAllAssociations(associations), known.associations);
  if (!status.ok()) return status;
  if (known.users.users().empty() && known.associations.associations().empty()) {
    return absl::NotFoundError(absl::StrCat("user: got \"", user,
                                            "\", want a user of the cluster; "
                                            "prioctl sacctmgr add user adds one"));
  }
  status = MoveInto(client.ListAllShares(shares), known.shares);
  if (status.ok()) status = MoveInto(client.ListPartitions(partitions), known.partitions);
  if (status.ok()) status = MoveInto(client.ListAllJobs(jobs), known.jobs);
  if (status.ok()) status = AskGrants(user, client, known);
  return status;
}

// The user of the caller, as the service identified it; if it identified none, the user running
// prioctl.
std::string UserOf(const v1::Caller& caller) {
  const bool is_user = !caller.name().empty() && absl::c_linear_search(caller.roles(), "user");
  return is_user ? caller.name() : CallingUser();
}

std::string UserLine(const std::string& name, const Known& known) {
  std::string line = absl::StrCat(name, " on ", known.associations.cluster());
  for (const v1::ClusterUser& user : known.users.users()) {
    const std::string& account = user.default_account();
    absl::StrAppend(&line, account.empty() ? ", no default account"
                                           : absl::StrCat(", default account ", account));
    if (!user.admin_level().empty() && user.admin_level() != "None") {
      absl::StrAppend(&line, ", ", user.admin_level());
    }
    if (!user.coordinated_accounts().empty()) {
      absl::StrAppend(&line, ", coordinates ", absl::StrJoin(user.coordinated_accounts(), ","));
    }
  }
  return absl::StrCat(line, "\n");
}

// The caller as the service identified it, which may be another than the user of the answer.
std::string CallerLine(const v1::Caller& caller) {
  if (caller.credential().empty()) return "";
  std::string line = caller.name().empty()
                         ? "caller not identified"
                         : absl::StrCat("asked as ", caller.name(), " (", caller.credential(), ")");
  absl::StrAppend(&line, ", roles ", absl::StrJoin(caller.roles(), ", "));
  if (!caller.coordinated_accounts().empty()) {
    absl::StrAppend(&line, ", coordinates ", absl::StrJoin(caller.coordinated_accounts(), ", "),
                    " and what is below");
  }
  return absl::StrCat(line, "\n");
}

// Whether the setting has a column of its own.
bool HasColumn(absl::string_view word) {
  return absl::EqualsIgnoreCase(word, "Fairshare") || absl::EqualsIgnoreCase(word, "QOS") ||
         absl::EqualsIgnoreCase(word, "DefaultQOS") || absl::EqualsIgnoreCase(word, "Partition") ||
         absl::EqualsIgnoreCase(word, "DefaultAccount") ||
         absl::EqualsIgnoreCase(word, "AdminLevel");
}

// The user's own limits and the inherited ones.
std::string LimitsText(const v1::Association& association) {
  std::map<std::string, std::string> limits(association.inherited().begin(),
                                            association.inherited().end());
  for (const auto& [word, value] : association.attributes()) limits[word] = value;
  std::vector<std::string> texts;
  for (const auto& [word, value] : limits) {
    if (!HasColumn(word) && !value.empty()) texts.push_back(absl::StrCat(word, "=", value));
  }
  return absl::StrJoin(texts, " ");
}

using Place = std::tuple<std::string, std::string>;  // Account and partition.

std::string SharesText(const v1::Association& association) {
  const std::string shares = sacctmgr::AttributeOf(association, "Fairshare");
  return shares.empty() ? "1" : shares;
}

void PrintAccounts(const Known& known, std::ostream& out) {
  std::map<Place, const v1::AssociationShare*> shares;
  for (const v1::AssociationShare& share : known.shares.shares()) {
    if (!share.user().empty()) shares[{share.account(), share.partition()}] = &share;
  }
  Table table({{"ACCOUNT"},
               {"PARTITION"},
               {"SHARES", true},
               {"FAIR-SHARE", true},
               {"USAGE", true},
               {"OF ITS USE", true},
               {"DEFAULT QOS"},
               {"QOS"},
               {"LIMITS"}});
  for (const v1::Association& one : known.associations.associations()) {
    const auto found = shares.find({one.account(), one.partition()});
    const v1::AssociationShare* share = found == shares.end() ? nullptr : found->second;
    const bool ranked = share != nullptr && share->has_fair_share();
    table.AddRow({one.account(), one.partition(), SharesText(one),
                  ranked ? absl::StrFormat("%.6f", share->fair_share()) : "",
                  share == nullptr ? "" : AmountText(share->raw_usage()),
                  share == nullptr ? "" : absl::StrFormat("%.1f%%", 100 * share->effective_usage()),
                  sacctmgr::AttributeOf(one, "DefaultQOS"),
                  sacctmgr::SortedList(sacctmgr::AttributeOf(one, "QOS")), LimitsText(one)});
  }
  table.Print(out);
}

void PrintPartitions(const Known& known, std::ostream& out) {
  Table table({{"PARTITION"}, {"STATE"}, {"MAX TIME"}, {"WITH ACCOUNTS"}, {"WITH QOS"}});
  const auto text = [](const v1::Partition& partition, const char* word) {
    const auto found = partition.attributes().find(word);
    return found == partition.attributes().end() ? "" : found->second;
  };
  for (const v1::Partition& partition : known.partitions.partitions()) {
    table.AddRow({partition.name(), text(partition, "State"), text(partition, "MaxTime"),
                  absl::StrJoin(partition.usable_accounts(), ","),
                  absl::StrJoin(partition.usable_qos(), ",")});
  }
  if (table.empty()) out << "No partition may be used.\n";
  table.Print(out);
}

std::string StateText(const v1::Job& job) {
  return v1::JobState_Name(job.state()).substr(sizeof("JOB_STATE_") - 1);
}

void PrintJobs(v1::ListJobsResponse shown, std::ostream& out) {
  jobs::ShowApplied(&shown);
  Table table({{"JOBID", true},
               {"PLACE", true},
               {"PRIORITY", true},
               {"STATE"},
               {"ACCOUNT"},
               {"PARTITION"},
               {"QOS"},
               {"SUBMITTED"},
               {"REASON"},
               {"WHY"}});
  for (const v1::TrackedJob& tracked : shown.jobs()) {
    const v1::Job& job = tracked.job();
    table.AddRow({job.job_id(), tracked.rank() == 0 ? "" : absl::StrCat(tracked.rank()),
                  tracked.has_priority() ? absl::StrCat(tracked.priority()) : "", StateText(job),
                  job.account(), absl::StrJoin(job.partitions(), ","),
                  absl::StrJoin(job.qos(), ","), TimeText(job.submit_time(), job.has_submit_time()),
                  tracked.reason(), SentenceText(tracked.reason_text())});
  }
  if (table.empty()) out << "No jobs.\n";
  table.Print(out);
}

void PrintAll(const Known& known, std::ostream& out) {
  out << "{\"caller\":" << ToJson(known.caller) << ",\"users\":" << ToJson(known.users)
      << ",\"associations\":" << ToJson(known.associations)
      << ",\"shares\":" << ToJson(known.shares) << ",\"partitions\":" << ToJson(known.partitions)
      << ",\"jobs\":" << ToJson(known.jobs) << ",\"grants\":" << ToJson(known.grants)
      << ",\"domainGrants\":" << ToJson(known.domain_grants) << "}\n";
}

// In the zone of the policy of `cluster`, by which windows begin and end.
void PrintIfAny(const v1::ListGrantsResponse& grants, const std::string& cluster,
                const std::string& heading, const client::PriorityClient& client,
                std::ostream& out) {
  if (grants.grants().empty()) return;
  out << heading;
  PrintGrants(grants, {.zone = tables::PolicyZone(client, cluster)}, out);
  out << '\n';
}

void PrintGrantsOf(const Known& known, const client::PriorityClient& client, std::ostream& out) {
  const std::string& domain = known.grants.domain();
  PrintIfAny(known.grants, "", "", client, out);
  PrintIfAny(known.domain_grants, domain, absl::StrCat("Of the usage domain ", domain, ":\n"),
             client, out);
}

// Prints the caller's identity and roles, the user's accounts with shares, fair-share, usage, QOS
// and limits, the partitions that the user may use, the grants in force that the user's jobs are
// charged to, and the user's jobs with places and reasons. NOT_FOUND for a user that the cluster
// does not have.
absl::Status Run(const MeOptions& options, const client::PriorityClient& client, Console& console) {
  Known known;
  absl::Status status = MoveInto(client.GetCaller({}), known.caller);
  // A service of the version before.
  if (absl::IsUnimplemented(status)) status = absl::OkStatus();
  const std::string user = options.user.empty() ? UserOf(known.caller) : options.user;
  if (status.ok()) status = Ask(user, client, known);
  if (!status.ok()) return status;
  if (options.json) {
    PrintAll(known, console.out);
    return absl::OkStatus();
  }
  console.out << UserLine(user, known) << CallerLine(known.caller) << '\n';
  PrintAccounts(known, console.out);
  console.out << '\n';
  PrintPartitions(known, console.out);
  console.out << '\n';
  PrintGrantsOf(known, client, console.out);
  PrintJobs(known.jobs, console.out);
  return absl::OkStatus();
}

void AddMeOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<MeOptions>(app, line, Run);
  app->add_option("USER", options->user, "The user; default the caller, as the service knows them")
      ->type_name("");
  AddJson(app, options->json);
}

}  // namespace

const Command kMeCommand = {
    "me", "One user: accounts, shares, limits, QOS, partitions, grants, jobs with their places",
    AddMeOptions};

}  // namespace priorityd::prioctl
