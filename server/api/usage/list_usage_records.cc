#include "server/api/usage/list_usage_records.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/priority/site/microseconds.h"
#include "server/api/usage/audience.h"
#include "server/api/usage/convert_job_accounting.h"
#include "server/api/usage/validate_usage.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "storage/configuration/tres_store.h"
#include "storage/ledger/record_list.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The last record listed.
struct RecordPlace {
  int64_t end_us = 0;
  int64_t seq = 0;

  bool IsValid() const { return seq >= 1; }
};

struct Page {
  std::vector<storage::ListedRecord> records;
  absl::flat_hash_map<int32_t, std::string> tres_names;
};

storage::RecordFilter FilterOf(const v1::ListUsageRecordsRequest& request,
                               const authorization::Visibility& sees) {
  storage::RecordFilter filter;
  if (request.has_ended_from()) {
    filter.ended_from = priority::CutToMicroseconds(ToTime(request.ended_from()));
  }
  if (request.has_ended_before()) {
    filter.ended_before = priority::CutToMicroseconds(ToTime(request.ended_before()));
  }
  filter.job_ids = {request.job_ids().begin(), request.job_ids().end()};
  filter.accounts = {request.accounts().begin(), request.accounts().end()};
  filter.users = {request.users().begin(), request.users().end()};
  filter.with_job = request.with_job();
  filter.audience = AudienceOf(sees);
  filter.limit = PageSizeOf(request.page_size(), 1000, 10'000) + 1;
  return filter;
}

absl::StatusOr<Page> Read(storage::ReportDatabase& reports, const std::string& cluster,
                          storage::RecordFilter filter) {
  return reports.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Page> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    filter.cluster_id = found->id;
    Page page;
    auto records = storage::ListRecords(transaction, filter);
    if (!records.ok()) return records.status();
    page.records = *std::move(records);
    auto numbers = storage::TresStore(transaction).ListOf(found->id);
    if (!numbers.ok()) return numbers.status();
    for (const auto& [name, number] : *numbers) page.tres_names[number] = name;
    return page;
  });
}

void FillRecord(const storage::ListedRecord& listed, const Page& page, v1::LedgerRecord* row) {
  const storage::SubmittedUsage& usage = listed.record.submitted;
  v1::UsageRecord* record = row->mutable_record();
  record->set_source(usage.source);
  record->set_record_id(usage.record_id);
  record->set_job_id(usage.job_id);
  record->set_user(usage.user_name);
  record->set_account(usage.account);
  record->set_partition(usage.partition);
  record->set_qos(usage.qos);
  ToProto(usage.start_time, record->mutable_start_time());
  ToProto(usage.end_time, record->mutable_end_time());
  for (const storage::TresAmount& amount : usage.tres) {
    (*record->mutable_tres())[page.tres_names.at(amount.tres_id)] = amount.amount;
  }
  if (usage.billing.has_value()) record->set_billing(*usage.billing);
  record->set_replaces_record_id(usage.replaces_record_id);
  if (listed.record.job != nullptr) ToProto(*listed.record.job, record->mutable_job());
  row->set_account(listed.account);
  row->set_qos(listed.qos);
  row->set_billing(listed.record.billing_rate);
}

}  // namespace

absl::Status ListUsageRecords(const recalculation::SnapshotRegistry& registry,
                              storage::ReportDatabase& reports,
                              const authorization::Visibility& sees,
                              const v1::ListUsageRecordsRequest& request,
                              v1::ListUsageRecordsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto snapshot = registry.Find(request.cluster());
  if (!snapshot.ok()) return snapshot.status();
  const std::string& cluster = (*snapshot)->cluster().name;
  const PageTokens<RecordPlace> tokens(cluster, request);
  const absl::StatusOr<std::optional<RecordPlace>> after = tokens.Given();
  if (!after.ok()) return after.status();
  storage::RecordFilter filter = FilterOf(request, sees);
  const size_t page_size = filter.limit - 1;
  if (after->has_value()) filter.after = {absl::FromUnixMicros((*after)->end_us), (*after)->seq};
  const absl::StatusOr<Page> page = Read(reports, cluster, std::move(filter));
  if (!page.ok()) return page.status();
  response->set_cluster(cluster);
  size_t bytes = 0;
  for (size_t i = 0; i < page->records.size(); ++i) {
    if (i == page_size || bytes > kMaxRecordsPageBytes) {
      const storage::ListedRecord& last = page->records[i - 1];
      response->set_next_page_token(
          tokens.Next({absl::ToUnixMicros(last.record.submitted.end_time), last.seq}));
      break;
    }
    v1::LedgerRecord* row = response->add_records();
    FillRecord(page->records[i], *page, row);
    bytes += row->ByteSizeLong();
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
