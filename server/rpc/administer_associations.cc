#include "server/rpc/administer_associations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/administration/association_change.h"
#include "server/administration/export.h"
#include "server/administration/tree_reading.h"
#include "server/configuration/find_cluster.h"
#include "server/rpc/convert_administration.h"
#include "server/rpc/convert_change.h"
#include "server/rpc/page_token.h"
#include "server/rpc/validate_administration.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::TreeSlice;
using administration::UsersByName;
using authorization::Rpc;
using authorization::Visibility;

constexpr int kUsualPage = 1000;
constexpr int kMostPage = 10'000;

// After which association a page begins, and the ids on the way to it from root.
struct AssociationPlace {
  int64_t after = 0;
  int64_t unused = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return after > 0 && texts.size() == 1; }
};

// After which user.
struct UserPlace {
  int64_t unused_first = 0;
  int64_t unused_second = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return texts.size() == 1; }
};

// What is read for a page of associations.
struct ListedTree {
  TreeSlice tree;
  std::vector<int64_t> ids;  // That are meant and shown, in their order.
  std::string etag;
};

absl::StatusOr<ListedTree> ReadTree(storage::Transaction& transaction, const std::string& cluster,
                                    const administration::AssociationFilter& where,
                                    const Visibility& sees) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  auto tree = administration::ReadFitting(transaction, found->id, where);
  if (!tree.ok()) return tree.status();
  auto users = where.only_defaults ? administration::ReadUsers(transaction, found->id, {})
                                   : absl::StatusOr<UsersByName>(UsersByName());
  if (!users.ok()) return users.status();
  auto etag = administration::ReadEtag(transaction, found->id);
  if (!etag.ok()) return etag.status();
  ListedTree listed{*std::move(tree), {}, *std::move(etag)};
  for (const int64_t id : administration::Fitting(where, listed.tree, *users)) {
    const storage::Association& row = *listed.tree.ById(id);
    if (sees.sees_all() || sees.SeesShares(row.user_name, row.account)) listed.ids.push_back(id);
  }
  return listed;
}

using Way = std::vector<int64_t>;

// From root; tree order is that of the ways.
Way WayTo(const TreeSlice& tree, int64_t id) {
  Way way;
  for (const auto* row = tree.ById(id); row != nullptr; row = tree.Parent(*row)) {
    way.push_back(row->id);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

AssociationPlace PlaceOf(const TreeSlice& tree, int64_t id) {
  return {id, 0, {absl::StrJoin(WayTo(tree, id), ".")}};
}

// Where the page begins that comes after `place`, which may be gone.
std::vector<int64_t>::const_iterator After(const AssociationPlace& place,
                                           const ListedTree& listed) {
  const auto found = std::find(listed.ids.begin(), listed.ids.end(), place.after);
  if (found != listed.ids.end()) return std::next(found);
  Way gone;
  for (absl::string_view id : absl::StrSplit(place.texts.front(), '.')) {
    if (!absl::SimpleAtoi(id, &gone.emplace_back())) gone.pop_back();
  }
  return std::find_if(listed.ids.begin(), listed.ids.end(),
                      [&](int64_t id) { return WayTo(listed.tree, id) > gone; });
}

// What is read for a page of users.
struct ListedUsers {
  UsersByName users;  // That are meant and shown.
  std::string etag;
};

// Those of whom an association is shown.
absl::StatusOr<std::set<std::string>> ShownUsers(storage::Transaction& transaction,
                                                 int32_t cluster_id, const UsersByName& users,
                                                 const Visibility& sees) {
  administration::AssociationFilter filter;
  for (const auto& [name, user] : users) filter.users.push_back(name);
  std::set<std::string> shown;
  if (filter.users.empty()) return shown;
  auto tree = administration::ReadFitting(transaction, cluster_id, filter);
  if (!tree.ok()) return tree.status();
  for (const auto& [id, row] : tree->rows()) {
    if (sees.SeesShares(row.user_name, row.account)) shown.insert(row.user_name);
  }
  return shown;
}

absl::StatusOr<ListedUsers> ReadUserList(storage::Transaction& transaction,
                                         const std::string& cluster,
                                         const administration::UserFilter& where,
                                         const Visibility& sees) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  auto users = administration::ReadUsers(transaction, found->id, where);
  if (!users.ok()) return users.status();
  auto etag = administration::ReadEtag(transaction, found->id);
  if (!etag.ok()) return etag.status();
  ListedUsers listed{*std::move(users), *std::move(etag)};
  if (sees.sees_all()) return listed;
  auto shown = ShownUsers(transaction, found->id, listed.users, sees);
  if (!shown.ok()) return shown.status();
  std::erase_if(listed.users, [&](const auto& user) { return shown->count(user.first) == 0; });
  return listed;
}

administration::ChangeFrame FrameOf(Rpc rpc, const AdministrationCall& call,
                                    const v1::ChangeOptions& options) {
  return ToFrame(rpc, call.caller, call.cluster, call.now, options);
}

absl::Status Answer(const AdministrationCall& call, const v1::ChangeOptions& options,
                    const absl::StatusOr<administration::ChangeResult>& result,
                    v1::ChangeResponse* response) {
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  const bool changed = result->list.counts().changed();
  if (changed && !options.validate_only()) PutInForce(call.loop, call.cluster, response);
  return absl::OkStatus();
}

v1::FileKind ToProto(administration::FileKind kind) {
  switch (kind) {
    case administration::FileKind::kSacctmgrDump:
      return v1::FILE_KIND_SACCTMGR_DUMP;
    case administration::FileKind::kQos:
      return v1::FILE_KIND_QOS;
    default:
      return v1::FILE_KIND_SLURM_CONF;
  }
}

}  // namespace

absl::Status ListAssociations(const AdministrationCall& call,
                              const v1::ListAssociationsRequest& request,
                              v1::ListAssociationsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<AssociationPlace> tokens(call.cluster, request);
  const auto given = tokens.Given();
  if (!given.ok()) return given.status();
  auto listed = call.database.Read([&](storage::Transaction& transaction) {
    return ReadTree(transaction, call.cluster, ToFilter(request.where()), call.caller.sees());
  });
  if (!listed.ok()) return listed.status();
  auto next = given->has_value() ? After(**given, *listed) : listed->ids.cbegin();
  const int size = PageSizeOf(request.page_size(), kUsualPage, kMostPage);
  for (; next != listed->ids.end() && response->associations_size() < size; ++next) {
    ToProto(listed->tree, *listed->tree.ById(*next), response->add_associations());
  }
  if (next != listed->ids.end()) {
    response->set_next_page_token(tokens.Next(PlaceOf(listed->tree, *std::prev(next))));
  }
  response->set_cluster(call.cluster);
  response->set_etag(listed->etag);
  return absl::OkStatus();
}

absl::Status ListUsers(const AdministrationCall& call, const v1::ListUsersRequest& request,
                       v1::ListUsersResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<UserPlace> tokens(call.cluster, request);
  const auto given = tokens.Given();
  if (!given.ok()) return given.status();
  auto listed = call.database.Read([&](storage::Transaction& transaction) {
    return ReadUserList(transaction, call.cluster, ToFilter(request.where()), call.caller.sees());
  });
  if (!listed.ok()) return listed.status();
  auto next = given->has_value() ? listed->users.upper_bound((*given)->texts.front())
                                 : listed->users.begin();
  const int size = PageSizeOf(request.page_size(), kUsualPage, kMostPage);
  for (; next != listed->users.end() && response->users_size() < size; ++next) {
    ToProto(next->second, call.caller.sees(), response->add_users());
  }
  if (next != listed->users.end()) {
    response->set_next_page_token(tokens.Next({0, 0, {std::prev(next)->first}}));
  }
  response->set_cluster(call.cluster);
  response->set_etag(listed->etag);
  return absl::OkStatus();
}

absl::Status CreateAssociations(const AdministrationCall& call,
                                const v1::CreateAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result = administration::CreateAssociations(
      call.database, FrameOf(Rpc::kCreateAssociations, call, request.options()),
      ToCreation(request), ToSettings(request.settings()), RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status UpdateAssociations(const AdministrationCall& call,
                                const v1::UpdateAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result = administration::UpdateAssociations(
      call.database, FrameOf(Rpc::kUpdateAssociations, call, request.options()),
      ToFilter(request.where()), ToSettings(request.settings()), RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status DeleteAssociations(const AdministrationCall& call,
                                const v1::DeleteAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result = administration::DeleteAssociations(
      call.database, FrameOf(Rpc::kDeleteAssociations, call, request.options()),
      ToFilter(request.where()), RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status UpdateUsers(const AdministrationCall& call, const v1::UpdateUsersRequest& request,
                         v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result = administration::UpdateUsers(
      call.database, FrameOf(Rpc::kUpdateUsers, call, request.options()), ToFilter(request.where()),
      ToSettings(request.settings()), RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status Export(const AdministrationCall& call, const v1::ExportRequest& request,
                    v1::ExportResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto site = administration::ExportSite(call.database, call.cluster);
  if (!site.ok()) return site.status();
  for (administration::SiteFile& file : site->files) {
    v1::File* proto = response->add_files();
    proto->set_name(std::move(file.file.name));
    proto->set_content(std::move(file.file.content));
    proto->set_kind(ToProto(file.kind));
  }
  response->set_etag(site->etag);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
