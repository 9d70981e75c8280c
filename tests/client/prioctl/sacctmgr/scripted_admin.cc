#include "tests/client/prioctl/sacctmgr/scripted_admin.h"

#include <algorithm>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

// The page that a token asks for.
template <typename List>
std::string Page(const std::string& token, int size, const List& all, List* page) {
  int from = 0;
  (void)absl::SimpleAtoi(token, &from);
  const int end = std::min(from + size, all.size());
  page->Add(all.begin() + from, all.begin() + end);
  return end < all.size() ? absl::StrCat(end) : "";
}

template <typename List>
bool Names(const List& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

// Rows of what `command` printed with -P, by heading.
std::vector<std::map<std::string, std::string>> Table(const std::string& command) {
  std::vector<std::map<std::string, std::string>> rows;
  for (const TranscriptEntry& entry : ReadTranscript("sacctmgr_show.txt")) {
    if (entry.command != command) continue;
    std::vector<std::string> headings;
    for (absl::string_view line : absl::StrSplit(entry.out, '\n', absl::SkipEmpty())) {
      const std::vector<std::string> cells = absl::StrSplit(line, '|');
      if (headings.empty()) {
        headings = cells;
        continue;
      }
      rows.emplace_back();
      for (size_t i = 0; i < headings.size(); ++i) rows.back()[headings[i]] = cells.at(i);
    }
  }
  return rows;
}

constexpr char kPlaces[] =
    "sacctmgr -P show assoc format=cluster,account,user,partition,id,parentid,parentname,lft,rgt,"
    "fairshare,priority,qos,defaultqos";
constexpr char kLimits[] =
    "sacctmgr -P show assoc format=account,user,partition,grpjobs,grpjobsaccrue,grpsubmit,grptres,"
    "grptresmins,grptresrunmins,grpwall,maxjobs,maxjobsaccrue,maxsubmit,maxtres,maxtrespernode,"
    "maxtresmins,maxwall,qosraw";

// Heading and word of what an association has.
constexpr const char* kWords[][2] = {{"Share", "Fairshare"},
                                     {"Priority", "Priority"},
                                     {"QOS", "QOS"},
                                     {"Def QOS", "DefaultQOS"},
                                     {"GrpJobs", "GrpJobs"},
                                     {"GrpJobsAccrue", "GrpJobsAccrue"},
                                     {"GrpSubmit", "GrpSubmitJobs"},
                                     {"GrpTRES", "GrpTRES"},
                                     {"GrpTRESMins", "GrpTRESMins"},
                                     {"GrpTRESRunMins", "GrpTRESRunMins"},
                                     {"GrpWall", "GrpWall"},
                                     {"MaxJobs", "MaxJobs"},
                                     {"MaxJobsAccrue", "MaxJobsAccrue"},
                                     {"MaxSubmit", "MaxSubmitJobs"},
                                     {"MaxTRES", "MaxTRESPerJob"},
                                     {"MaxTRESPerNode", "MaxTRESPerNode"},
                                     {"MaxTRESMins", "MaxTRESMinsPerJob"},
                                     {"MaxWall", "MaxWallDurationPerJob"}};

void TellAssociations(ScriptedAdmin& admin) {
  auto places = Table(kPlaces);
  const auto limits = Table(kLimits);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].insert(limits.at(i).begin(), limits.at(i).end());
    auto& row = places[i];
    v1::Association& made = *admin.associations.add_associations();
    int64_t id = 0;
    (void)absl::SimpleAtoi(row["ID"], &id);
    made.set_id(id);
    made.set_account(row["Account"]);
    made.set_user(row["User"]);
    made.set_partition(row["Partition"]);
    made.set_parent_account(made.user().empty() ? row["ParentName"] : made.account());
    for (const auto& [heading, word] : kWords) {
      if (!row[heading].empty()) (*made.mutable_attributes())[word] = row[heading];
    }
  }
  // As the service lists them: siblings by id, not by name.
  std::stable_sort(admin.associations.mutable_associations()->begin(),
                   admin.associations.mutable_associations()->end(),
                   [](const auto& a, const auto& b) { return a.id() < b.id(); });
  for (auto& row : Table("sacctmgr show account -P")) {
    for (v1::Association& made : *admin.associations.mutable_associations()) {
      if (made.account() != row["Account"] || !made.user().empty()) continue;
      (*made.mutable_attributes())["Description"] = row["Descr"];
      (*made.mutable_attributes())["Organization"] = row["Org"];
    }
  }
}

}  // namespace

ScriptedAdmin::ScriptedAdmin() {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  address_ = absl::StrCat("127.0.0.1:", port);
}

ScriptedAdmin::~ScriptedAdmin() { server_->Shutdown(); }

grpc::Status ScriptedAdmin::ListAssociations(grpc::ServerContext*,
                                             const v1::ListAssociationsRequest* request,
                                             v1::ListAssociationsResponse* response) {
  asked_associations.push_back(*request);
  v1::ListAssociationsResponse fitting;
  for (const v1::Association& one : associations.associations()) {
    const v1::AssociationFilter& where = request->where();
    const bool fits = Names(where.accounts(), one.account()) && Names(where.users(), one.user()) &&
                      Names(where.partitions(), one.partition()) &&
                      Names(where.parents(), one.user().empty() ? one.parent_account() : "");
    if (fits) *fitting.add_associations() = one;
  }
  response->set_cluster(associations.cluster());
  response->set_etag("listed");
  response->set_next_page_token(Page(request->page_token(), page_size, fitting.associations(),
                                     response->mutable_associations()));
  return grpc::Status::OK;
}

grpc::Status ScriptedAdmin::ListUsers(grpc::ServerContext*, const v1::ListUsersRequest* request,
                                      v1::ListUsersResponse* response) {
  asked_users.push_back(*request);
  v1::ListUsersResponse fitting;
  for (const v1::ClusterUser& one : users.users()) {
    const v1::UserFilter& where = request->where();
    const bool fits = Names(where.names(), one.name()) &&
                      Names(where.default_accounts(), one.default_account()) &&
                      (where.admin_levels().empty() || where.admin_levels(0) == "operator"
                           ? where.admin_levels().empty() || one.admin_level() == "Operator"
                           : false);
    if (fits) *fitting.add_users() = one;
  }
  response->set_cluster(users.cluster());
  response->set_next_page_token(
      Page(request->page_token(), page_size, fitting.users(), response->mutable_users()));
  return grpc::Status::OK;
}

grpc::Status ScriptedAdmin::ListQos(grpc::ServerContext*, const v1::ListQosRequest* request,
                                    v1::ListQosResponse* response) {
  response->set_cluster(qos.cluster());
  for (const v1::Qos& one : qos.qos()) {
    if (Names(request->names(), one.name())) *response->add_qos() = one;
  }
  return grpc::Status::OK;
}

void TellLab(ScriptedAdmin& admin) {
  admin.associations.set_cluster("lab");
  admin.users.set_cluster("lab");
  admin.qos.set_cluster("lab");
  TellAssociations(admin);
  for (auto& row : Table("sacctmgr show users -P")) {
    v1::ClusterUser& user = *admin.users.add_users();
    user.set_name(row["User"]);
    user.set_default_account(row["Def Acct"]);
    user.set_admin_level(row["Admin"]);
  }
  // captured/dump.cfg: Coordinator=.
  for (v1::ClusterUser& user : *admin.users.mutable_users()) {
    if (user.name() == "eve") user.add_coordinated_accounts("chem");
    if (user.name() == "eve") user.add_coordinated_accounts("organic");
    if (user.name() == "dan") user.add_coordinated_accounts("organic");
    if (user.name() == "cat") user.add_coordinated_accounts("physics");
  }
  int id = 0;
  for (auto& row : Table("sacctmgr -P show qos")) {
    v1::Qos& made = *admin.qos.add_qos();
    made.set_id(++id);
    made.set_name(row["Name"]);
    for (const auto& [heading, value] : row) {
      if (!value.empty()) (*made.mutable_attributes())[heading] = value;
    }
  }
  admin.clusters.add_clusters()->set_name("lab");
}

}  // namespace priorityd
