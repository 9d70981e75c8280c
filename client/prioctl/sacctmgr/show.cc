#include "client/prioctl/sacctmgr/show.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/sacctmgr/association_order.h"
#include "client/prioctl/sacctmgr/coordinators.h"
#include "client/prioctl/sacctmgr/default_format.h"
#include "client/prioctl/sacctmgr/filters.h"
#include "client/prioctl/sacctmgr/row.h"
#include "client/prioctl/sacctmgr/selection.h"
#include "client/slurm/tables/policy_zone.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

using Pointers = std::vector<const v1::Association*>;

// One `show`: what is asked for, and where it goes.
class Listing {
 public:
  Listing(Selection selection, std::vector<Field> fields, const client::PriorityClient& client,
          const Settings& settings, Terminal& terminal)
      : selection_(std::move(selection)),
        fields_(std::move(fields)),
        client_(client),
        settings_(settings),
        terminal_(terminal),
        zone_(ZoneOfLeases()) {}

  absl::Status Accounts();
  absl::Status OfAssociations();
  absl::Status Users();
  absl::Status OfQos();
  absl::Status Clusters();
  absl::Status OfCoordinators();
  absl::Status Transactions();
  absl::Status Problems();

 private:
  absl::StatusOr<v1::ListAssociationsResponse> Associations(const Selection& of, Names users) const;
  absl::StatusOr<v1::ListUsersResponse> AskUsers(const Selection& of) const;
  // Of the whole cluster.
  absl::StatusOr<Coordinators> AllCoordinators() const;

  void Add(Row row) {
    row.zone = zone_;
    rows_.push_back(CellsOf(row, fields_));
  }
  void AddUser(const v1::ClusterUser& user, const std::string& coordinators,
               const std::string& cluster, const Pointers& of_her);
  void AddAccount(const v1::Association& account, const std::string& coordinators,
                  const std::string& cluster, const Pointers& of_it);
  // The policy's, if there is a column of leases.
  absl::TimeZone ZoneOfLeases() const;
  // Prints the rows, or the messages of the answer.
  absl::Status PrintAnswer(const google::protobuf::Message* answer);

  const Selection selection_;
  const std::vector<Field> fields_;
  const client::PriorityClient& client_;
  const Settings& settings_;
  Terminal& terminal_;
  const absl::TimeZone zone_;
  std::vector<Cells> rows_;
};

template <typename List, typename Names>
void Fill(const Names& names, List* list) {
  list->Add(names.begin(), names.end());
}

// The associations of each account: its own, then its users', the newest first.
std::map<std::string, Pointers> ByAccount(const v1::ListAssociationsResponse& list) {
  std::map<std::string, Pointers> by;
  for (const v1::Association& association : list.associations()) {
    by[association.account()].push_back(&association);
  }
  for (auto& [account, associations] : by) {
    absl::c_sort(associations, [](const v1::Association* a, const v1::Association* b) {
      return std::make_pair(!a->user().empty(), b->id()) <
             std::make_pair(!b->user().empty(), a->id());
    });
  }
  return by;
}

// The associations of each user, by account; of several partitions the last name first.
std::map<std::string, Pointers> ByUser(const v1::ListAssociationsResponse& list) {
  std::map<std::string, Pointers> by;
  for (const v1::Association& association : list.associations()) {
    by[association.user()].push_back(&association);
  }
  for (auto& [user, associations] : by) {
    absl::c_sort(associations, [](const v1::Association* a, const v1::Association* b) {
      return std::tie(a->account(), b->partition()) < std::tie(b->account(), a->partition());
    });
  }
  return by;
}

absl::StatusOr<v1::ListAssociationsResponse> Listing::Associations(const Selection& of,
                                                                   Names users) const {
  v1::ListAssociationsRequest request;
  request.set_cluster(of.cluster());
  *request.mutable_where() = AssociationsOf(of);
  request.mutable_where()->clear_users();
  Fill(users, request.mutable_where()->mutable_users());
  return client_.ListAllAssociations(request);
}

absl::StatusOr<v1::ListUsersResponse> Listing::AskUsers(const Selection& of) const {
  v1::ListUsersRequest request;
  request.set_cluster(of.cluster());
  *request.mutable_where() = UsersOf(of);
  return client_.ListAllUsers(request);
}

absl::StatusOr<Coordinators> Listing::AllCoordinators() const {
  Selection all;
  all.clusters = selection_.clusters;
  const auto users = AskUsers(all);
  if (!users.ok()) return users.status();
  const auto accounts = Associations(all, {""});
  if (!accounts.ok()) return accounts.status();
  return Coordinators(users->users(), accounts->associations());
}

absl::TimeZone Listing::ZoneOfLeases() const {
  const bool are_shown = !settings_.json && absl::c_any_of(fields_, [](const Field& field) {
    return field.known->shows == Shows::kLeases;
  });
  return are_shown ? tables::PolicyZone(client_, selection_.cluster()) : absl::LocalTimeZone();
}

absl::Status Listing::PrintAnswer(const google::protobuf::Message* answer) {
  if (!settings_.json) {
    terminal_.PrintTable(fields_, rows_);
  } else if (answer != nullptr) {
    terminal_.PrintJson(*answer);
  }
  return absl::OkStatus();
}

absl::Status Listing::OfAssociations() {
  const auto answer = Associations(selection_, selection_.users);
  if (!answer.ok()) return answer.status();
  for (const Placed& placed : InTreeOrder(answer->associations())) {
    Row row;
    row.cluster = answer->cluster();
    row.association = placed.association;
    row.parent_id = static_cast<uint64_t>(placed.parent_id);
    if (selection_.tree) row.depth = placed.depth;
    Add(row);
  }
  return PrintAnswer(&*answer);
}

void Listing::AddAccount(const v1::Association& account, const std::string& coordinators,
                         const std::string& cluster, const Pointers& of_it) {
  Row row;
  row.account = &account;
  row.coordinators = coordinators;
  if (!selection_.with_associations) return Add(row);
  row.cluster = cluster;
  for (const v1::Association* association : of_it) {
    row.association = association;
    Add(row);
  }
}

absl::Status Listing::Accounts() {
  const auto answer = Associations(selection_, selection_.with_associations ? Names() : Names{""});
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Coordinators> coordinators = Coordinators({}, {});
  if (selection_.with_coordinators) coordinators = AllCoordinators();
  if (!coordinators.ok()) return coordinators.status();
  std::map<std::string, const v1::Association*> by_name;
  for (const v1::Association& account : answer->associations()) {
    if (account.user().empty() && IsDescribed(selection_, account))
      by_name[account.account()] = &account;
  }
  const auto of_account = ByAccount(*answer);
  for (const auto& [name, account] : by_name) {
    AddAccount(*account, coordinators->OfAccount(name), answer->cluster(), of_account.at(name));
  }
  return PrintAnswer(&*answer);
}

void Listing::AddUser(const v1::ClusterUser& user, const std::string& coordinators,
                      const std::string& cluster, const Pointers& of_her) {
  Row row;
  row.user = &user;
  row.coordinators = coordinators;
  if (!selection_.with_associations) return Add(row);
  row.cluster = cluster;
  for (const v1::Association* association : of_her) {
    row.association = association;
    Add(row);
  }
}

absl::Status Listing::Users() {
  const auto users = AskUsers(selection_);
  if (!users.ok()) return users.status();
  absl::StatusOr<v1::ListAssociationsResponse> associations = v1::ListAssociationsResponse();
  if (selection_.with_associations) associations = Associations(selection_, selection_.users);
  if (!associations.ok()) return associations.status();
  absl::StatusOr<Coordinators> coordinators = Coordinators({}, {});
  if (selection_.with_coordinators) coordinators = AllCoordinators();
  if (!coordinators.ok()) return coordinators.status();
  auto of_user = ByUser(*associations);
  for (const v1::ClusterUser& user : users->users()) {
    AddUser(user, coordinators->AccountsOf(user.name()), associations->cluster(),
            of_user[user.name()]);
  }
  return PrintAnswer(&*users);
}

absl::Status Listing::OfCoordinators() {
  const auto users = AskUsers(selection_);
  if (!users.ok()) return users.status();
  for (const v1::ClusterUser& user : users->users()) {
    if (user.coordinated_accounts().empty()) continue;
    Row row;
    row.user = &user;
    row.coordinators = SortedList(absl::StrJoin(user.coordinated_accounts(), ","));
    Add(row);
  }
  return PrintAnswer(&*users);
}

// Accounts that nobody can use: without users, and without accounts below that have some.
absl::Status Listing::Problems() {
  const auto answer = Associations(selection_, selection_.users);
  if (!answer.ok()) return answer.status();
  std::set<std::string> used;
  for (const v1::Association& association : answer->associations()) {
    used.insert(association.user().empty() ? association.parent_account() : association.account());
  }
  for (const Placed& placed : InTreeOrder(answer->associations())) {
    Row row;
    row.cluster = answer->cluster();
    row.association = placed.association;
    row.problem = "Account has no users";
    if (placed.association->user().empty() && used.count(placed.association->account()) == 0) {
      Add(row);
    }
  }
  return PrintAnswer(&*answer);
}

absl::Status Listing::OfQos() {
  v1::ListQosRequest request;
  request.set_cluster(selection_.cluster());
  Fill(selection_.names, request.mutable_names());
  const auto answer = client_.ListQos(request);
  if (!answer.ok()) return answer.status();
  for (const v1::Qos& qos : answer->qos()) {
    Row row;
    row.cluster = answer->cluster();
    row.qos = &qos;
    Add(row);
  }
  return PrintAnswer(&*answer);
}

absl::Status Listing::Clusters() {
  v1::ListClustersRequest request;
  Fill(selection_.names, request.mutable_names());
  Fill(selection_.clusters, request.mutable_names());
  const auto answer = client_.ListClusters(request);
  if (!answer.ok()) return answer.status();
  for (const v1::Cluster& cluster : answer->clusters()) {
    Selection root;
    root.clusters = {cluster.name()};
    root.accounts = {"root"};
    const auto associations = Associations(root, {""});
    if (!associations.ok()) return associations.status();
    Row row;
    row.cluster = cluster.name();
    row.of_cluster = &cluster;
    if (!associations->associations().empty()) row.association = &associations->associations(0);
    Add(row);
  }
  return PrintAnswer(&*answer);
}

absl::Status ReadTime(absl::string_view name, const Names& texts,
                      google::protobuf::Timestamp* (*mutable_time)(v1::ListAuditEventsRequest&),
                      v1::ListAuditEventsRequest& request) {
  if (texts.empty()) return absl::OkStatus();
  const absl::StatusOr<absl::Time> time =
      tables::ParseReportTime(texts.front(), absl::Now(), absl::LocalTimeZone());
  if (!time.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", time.status().message()));
  }
  mutable_time(request)->set_seconds(absl::ToUnixSeconds(*time));
  return absl::OkStatus();
}

// `account chem` in `user ann account chem`, as words.
bool IsAbout(const std::string& object, absl::string_view kind, const Names& names) {
  return names.empty() || absl::c_any_of(names, [&](const std::string& name) {
           return absl::StrContains(absl::StrCat(" ", object, " "),
                                    absl::StrCat(" ", kind, " ", name, " "));
         });
}

absl::Status Listing::Transactions() {
  v1::ListAuditEventsRequest request;
  request.set_cluster(selection_.cluster());
  Fill(selection_.actors, request.mutable_principals());
  Fill(selection_.actions, request.mutable_actions());
  absl::Status times = ReadTime(
      "Start", selection_.start,
      [](v1::ListAuditEventsRequest& r) { return r.mutable_start_time(); }, request);
  times.Update(ReadTime(
      "End", selection_.end, [](v1::ListAuditEventsRequest& r) { return r.mutable_end_time(); },
      request));
  if (!times.ok()) return times;
  const auto answer = client_.ListAuditEvents(request);
  if (!answer.ok()) return answer.status();
  // The oldest first, as sacctmgr has it.
  for (auto event = answer->events().rbegin(); event != answer->events().rend(); ++event) {
    if (!IsAbout(event->object(), "account", selection_.accounts)) continue;
    if (!IsAbout(event->object(), "user", selection_.users)) continue;
    Row row;
    row.cluster = selection_.cluster();
    row.event = &*event;
    Add(row);
  }
  return PrintAnswer(&*answer);
}

absl::Status ShowEntity(Entity entity, Listing& listing) {
  switch (entity) {
    case Entity::kAccount:
      return listing.Accounts();
    case Entity::kAssociation:
      return listing.OfAssociations();
    case Entity::kUser:
      return listing.Users();
    case Entity::kQos:
      return listing.OfQos();
    case Entity::kCluster:
      return listing.Clusters();
    case Entity::kCoordinator:
      return listing.OfCoordinators();
    case Entity::kTransaction:
      return listing.Transactions();
    default:
      return listing.Problems();
  }
}

}  // namespace

absl::Status Show(const Command& command, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal) {
  absl::StatusOr<Selection> selection = ReadSelection(command);
  if (!selection.ok()) return selection.status();
  if (settings.associations) selection->with_associations = true;
  const std::string format = selection->format.empty() ? DefaultFormat(command.entity, *selection)
                                                       : selection->format.front();
  absl::StatusOr<std::vector<Field>> fields = ParseFormat(format);
  if (!fields.ok()) return fields.status();
  Listing listing(*std::move(selection), *std::move(fields), client, settings, terminal);
  return ShowEntity(command.entity, listing);
}

}  // namespace priorityd::sacctmgr
