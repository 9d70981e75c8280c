#include "server/api/usage/list_usage_sources.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/api/shared/source_rights.h"
#include "server/api/usage/validate_usage.h"
#include "server/authorization/rights_table.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "storage/ledger/usage_source_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// A page starts after this source.
struct SourcePlace {
  int64_t unused_first = 0;
  int64_t unused_second = 0;
  std::vector<std::string> texts;

  bool IsValid() const { return texts.size() == 1; }
};

struct SourcePage {
  absl::Time horizon;
  std::vector<storage::UsageSource> sources;
};

absl::StatusOr<SourcePage> ReadPage(const AdministrationCall& call, const std::string& after,
                                    int64_t limit) {
  const std::vector<std::string> only =
      SourcesBoundBy(call.caller, authorization::RightOf(call.rpc).roles);
  return call.database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<SourcePage> {
    auto cluster = configuration::FindCluster(transaction, call.cluster);
    if (!cluster.ok()) return cluster.status();
    auto sources = storage::UsageSourceStore(transaction).List(cluster->id, after, only, limit);
    if (!sources.ok()) return sources.status();
    return SourcePage{cluster->ledger_horizon, *std::move(sources)};
  });
}

}  // namespace

absl::Status ListUsageSources(const AdministrationCall& call,
                              const v1::ListUsageSourcesRequest& request,
                              v1::ListUsageSourcesResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const PageTokens<SourcePlace> tokens(call.cluster, request);
  const absl::StatusOr<std::optional<SourcePlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  const size_t most = PageSizeOf(request.page_size(), 1000, 10'000);
  const std::string after = given->has_value() ? (*given)->texts.front() : "";
  auto page = ReadPage(call, after, static_cast<int64_t>(most) + 1);
  if (!page.ok()) return page.status();
  if (page->sources.size() > most) {
    page->sources.pop_back();
    response->set_next_page_token(tokens.Next({0, 0, {page->sources.back().source}}));
  }
  response->set_cluster(call.cluster);
  if (page->horizon != absl::InfinitePast()) {
    ToProto(page->horizon, response->mutable_ledger_horizon());
  }
  for (const storage::UsageSource& source : page->sources) {
    v1::UsageSource* row = response->add_sources();
    row->set_source(source.source);
    ToProto(source.last_end, row->mutable_last_end());
    row->set_last_job_id(source.last_job_id);
    ToProto(source.last_recorded_at, row->mutable_last_recorded_at());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
