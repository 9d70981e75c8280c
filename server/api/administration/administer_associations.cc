#include "server/api/administration/administer_associations.h"

#include <string>
#include <utility>

#include "server/administration/changes/association_change.h"
#include "server/administration/changes/user_change.h"
#include "server/administration/imports/export.h"
#include "server/api/administration/administer_leases.h"
#include "server/api/administration/configuration_pages.h"
#include "server/api/administration/convert_administration.h"
#include "server/api/administration/provisioning.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/page_token.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kUsualPage = 1000;
constexpr int kMostPage = 10'000;

std::string UserObject(const std::string& name) {
  return administration::TextOf(administration::ObjectKey{.kind = "user", .user = name});
}

v1::FileKind FileKindToProto(administration::FileKind kind) {
  switch (kind) {
    case administration::FileKind::kSacctmgrDump:
      return v1::FILE_KIND_SACCTMGR_DUMP;
    case administration::FileKind::kQos:
      return v1::FILE_KIND_QOS;
    case administration::FileKind::kPriorityd:
      return v1::FILE_KIND_PRIORITYD;
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
  const int size = PageSizeOf(request.page_size(), kUsualPage, kMostPage);
  auto page = call.database.Read([&](storage::Transaction& transaction) {
    return ReadAssociationPage(transaction, call.cluster, ToFilter(request.where()),
                               call.caller.sees(), *given, size);
  });
  if (!page.ok()) return page.status();
  std::vector<std::string> objects;
  for (const int64_t id : page->ids) {
    objects.push_back(administration::ObjectName(*page->tree.ById(id)));
  }
  const auto leased = LeasedSettings(call, objects);
  if (!leased.ok()) return leased.status();
  for (size_t i = 0; i < page->ids.size(); ++i) {
    v1::Association* proto = response->add_associations();
    ToProto(page->tree, *page->tree.ById(page->ids[i]), proto);
    ToProto(*leased, objects[i], proto->mutable_leased());
  }
  if (page->next.has_value()) response->set_next_page_token(tokens.Next(*page->next));
  response->set_cluster(call.cluster);
  response->set_etag(page->etag);
  return absl::OkStatus();
}

absl::Status ListUsers(const AdministrationCall& call, const v1::ListUsersRequest& request,
                       v1::ListUsersResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<UserPlace> tokens(call.cluster, request);
  const auto given = tokens.Given();
  if (!given.ok()) return given.status();
  const int size = PageSizeOf(request.page_size(), kUsualPage, kMostPage);
  auto page = call.database.Read([&](storage::Transaction& transaction) {
    return ReadUserPage(transaction, call.cluster, ToFilter(request.where()), call.caller.sees(),
                        *given, size);
  });
  if (!page.ok()) return page.status();
  std::vector<std::string> objects;
  for (const auto& [name, user] : page->users) objects.push_back(UserObject(name));
  const auto leased = LeasedSettings(call, objects);
  if (!leased.ok()) return leased.status();
  const authorization::Visibility& sees = call.caller.sees();
  for (const auto& [name, user] : page->users) {
    v1::ClusterUser* proto = response->add_users();
    ToProto(user, sees, proto);
    if (sees.sees_all() || name == sees.user()) {
      ToProto(*leased, UserObject(name), proto->mutable_leased());
    }
  }
  if (page->next.has_value()) response->set_next_page_token(tokens.Next(*page->next));
  response->set_cluster(call.cluster);
  response->set_etag(page->etag);
  return absl::OkStatus();
}

absl::Status CreateAssociations(const AdministrationCall& call,
                                const v1::CreateAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result = administration::CreateAssociations(
      call.database, FrameOf(call, request.options()), ToCreation(request),
      ToSettings(request.settings()), RightsIn(request, call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status UpdateAssociations(const AdministrationCall& call,
                                const v1::UpdateAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto change = LeaseOf(call, request.options(), "association", request.settings());
  if (!change.ok()) return change.status();
  const auto result =
      administration::UpdateAssociations(call.database, change->frame, ToFilter(request.where()),
                                         change->settings, RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status DeleteAssociations(const AdministrationCall& call,
                                const v1::DeleteAssociationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto result =
      administration::DeleteAssociations(call.database, FrameOf(call, request.options()),
                                         ToFilter(request.where()), RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status UpdateUsers(const AdministrationCall& call, const v1::UpdateUsersRequest& request,
                         v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto change = LeaseOf(call, request.options(), "user", request.settings());
  if (!change.ok()) return change.status();
  const auto result =
      administration::UpdateUsers(call.database, change->frame, ToFilter(request.where()),
                                  change->settings, RightsOf(call.caller));
  return Answer(call, request.options(), result, response);
}

absl::Status Export(const AdministrationCall& call, const v1::ExportRequest& request,
                    v1::ExportResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto site = administration::ExportSite(call.database, call.cluster, call.now);
  if (!site.ok()) return site.status();
  for (administration::SiteFile& file : site->files) {
    v1::File* proto = response->add_files();
    proto->set_name(std::move(file.file.name));
    proto->set_content(std::move(file.file.content));
    proto->set_kind(FileKindToProto(file.kind));
  }
  response->set_etag(site->etag);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
