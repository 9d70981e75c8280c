#include "server/api/aliases/administer_aliases.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/changes/alias_change.h"
#include "server/administration/changes/configuration_change.h"
#include "server/api/aliases/validate_aliases.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/page_token.h"
#include "storage/configuration/user_alias_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

constexpr int kUsualAliasPage = 1000;
constexpr int kMostAliasPage = 10'000;

// The alias after which a page starts: its source and name.
struct AliasPlace {
  int64_t unused_first = 0;
  int64_t unused_second = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return texts.size() == 2; }
};

struct AliasPage {
  std::vector<storage::UserAlias> aliases;  // One more than the page, if there is another one.
  std::string etag;
  int64_t version = 0;
};

absl::StatusOr<AliasPage> ReadAliasPage(storage::Transaction& transaction,
                                        const std::string& cluster,
                                        const storage::UserAliasFilter& filter,
                                        const AliasPlace& after, int64_t size) {
  auto found = administration::FindWithEtag(transaction, cluster);
  if (!found.ok()) return found.status();
  storage::UserAliasStore store(transaction);
  auto aliases =
      store.ListPage(found->cluster.id, filter, after.texts[0], after.texts[1], size + 1);
  if (!aliases.ok()) return aliases.status();
  const auto version = store.Version(found->cluster.id);
  if (!version.ok()) return version.status();
  return AliasPage{*std::move(aliases), std::move(found->etag), *version};
}

void AliasToProto(const storage::UserAlias& alias, v1::UserAlias* proto) {
  proto->set_source(alias.source);
  proto->set_alias(alias.alias);
  proto->set_user(alias.user_name);
  proto->set_version(alias.version);
}

administration::Aliases ToAliases(const google::protobuf::RepeatedPtrField<v1::UserAlias>& protos) {
  administration::Aliases aliases;
  for (const v1::UserAlias& proto : protos) {
    aliases.push_back({proto.source(), proto.alias(), proto.user()});
  }
  return aliases;
}

storage::UserAliasFilter FilterOf(const v1::ListAliasesRequest& request) {
  return {{request.sources().begin(), request.sources().end()},
          {request.users().begin(), request.users().end()}};
}

}  // namespace

absl::Status ListAliases(const AdministrationCall& call, const v1::ListAliasesRequest& request,
                         v1::ListAliasesResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<AliasPlace> tokens(call.cluster, request);
  const auto given = tokens.Given();
  if (!given.ok()) return given.status();
  const auto size =
      static_cast<size_t>(PageSizeOf(request.page_size(), kUsualAliasPage, kMostAliasPage));
  const AliasPlace after = given->value_or(AliasPlace{.texts = {"", ""}});
  auto page = call.database.Read([&](storage::Transaction& transaction) {
    return ReadAliasPage(transaction, call.cluster, FilterOf(request), after,
                         static_cast<int64_t>(size));
  });
  if (!page.ok()) return page.status();
  if (page->aliases.size() > size) {
    page->aliases.pop_back();
    const storage::UserAlias& last = page->aliases.back();
    response->set_next_page_token(tokens.Next({.texts = {last.source, last.alias}}));
  }
  for (const storage::UserAlias& alias : page->aliases) {
    AliasToProto(alias, response->add_aliases());
  }
  response->set_cluster(call.cluster);
  response->set_etag(page->etag);
  response->set_version(page->version);
  return absl::OkStatus();
}

absl::Status UpdateAliases(const AdministrationCall& call, const v1::UpdateAliasesRequest& request,
                           v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::Aliases remove = ToAliases(request.remove());
  const administration::Aliases add = ToAliases(request.add());
  const auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UpdateAliases(transaction, cluster, remove, add, list);
      });
  if (!result.ok()) return result.status();
  // The change is committed: if it cannot be read now, it is within a second.
  call.aliases->Read().IgnoreError();
  ToProto(*result, response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
