#include "server/api/shares/list_share_history.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/priority/snapshot/snapshot.h"
#include "server/api/shared/share_filter.h"
#include "server/authorization/rights_table.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "storage/snapshots/factor_history_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The last sample listed.
struct SamplePlace {
  int64_t sampled_at_us = 0;
  int64_t association_id = 0;

  bool IsValid() const { return association_id >= 0; }
};

storage::FactorHistoryQuery QueryOf(const priority::AssociationTree& tree,
                                    const authorization::Visibility& sees,
                                    const v1::ListShareHistoryRequest& request) {
  storage::FactorHistoryQuery query;
  const std::vector<bool> selected = Select(tree, FilterOf(request), sees);
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    if (selected[i]) query.association_ids.push_back(tree.id()[i]);
  }
  if (request.has_start_time()) query.start = ToTime(request.start_time());
  if (request.has_end_time()) query.end = ToTime(request.end_time());
  return query;
}

absl::StatusOr<std::vector<storage::FactorSample>> Read(storage::ReportDatabase& reports,
                                                        const std::string& cluster,
                                                        storage::FactorHistoryQuery query) {
  using Samples = std::vector<storage::FactorSample>;
  return reports.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Samples> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    query.cluster_id = found->id;
    return storage::FactorHistoryStore(transaction).List(query);
  });
}

void SampleToProto(const storage::FactorSample& sample, const priority::Snapshot& snapshot,
                   v1::ShareSample* proto) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::AssociationIndex i = tree.FindId(sample.association_id);
  proto->set_association_id(sample.association_id);
  proto->set_account(std::string(tree.account(i)));
  proto->set_user(std::string(tree.user(i)));
  proto->set_partition(std::string(tree.partition(i)));
  ToProto(sample.sampled_at, proto->mutable_sampled_at());
  proto->set_raw_usage(sample.raw_usage);
  const bool fair_tree = snapshot.policy().algorithm == priority::FairShareAlgorithm::kFairTree;
  if (tree.is_user(i) || !fair_tree) proto->set_fair_share(sample.fair_share);
}

}  // namespace

absl::Status ListShareHistory(const recalculation::SnapshotRegistry& registry,
                              storage::ReportDatabase& reports, const Caller& caller,
                              const v1::ListShareHistoryRequest& request,
                              v1::ListShareHistoryResponse* response) {
  if (!caller.sees().sees_events()) {
    return authorization::SeeAllRequired("history, which PrivateData=events keeps", caller.roles,
                                         caller.ToString());
  }
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot =
      registry.Find(request.cluster());
  if (!snapshot.ok()) return snapshot.status();
  const std::string& cluster = (*snapshot)->cluster().name;
  const PageTokens<SamplePlace> tokens(cluster, request);
  const absl::StatusOr<std::optional<SamplePlace>> after = tokens.Given();
  if (!after.ok()) return after.status();
  storage::FactorHistoryQuery query = QueryOf((*snapshot)->tree(), caller.sees(), request);
  if (after->has_value()) {
    query.after = {absl::FromUnixMicros((*after)->sampled_at_us), (*after)->association_id};
  }
  const size_t page_size = PageSizeOf(request.page_size());
  query.limit = static_cast<int64_t>(page_size) + 1;
  auto samples = Read(reports, cluster, std::move(query));
  if (!samples.ok()) return samples.status();
  if (samples->size() > page_size) {
    samples->resize(page_size);
    const storage::FactorSample& last = samples->back();
    response->set_next_page_token(
        tokens.Next({absl::ToUnixMicros(last.sampled_at), last.association_id}));
  }
  for (const storage::FactorSample& sample : *samples) {
    SampleToProto(sample, **snapshot, response->add_samples());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
