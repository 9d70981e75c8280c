#include "server/api/usage/void_usage.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/microseconds.h"
#include "server/api/usage/validate_usage.h"
#include "server/messages/convert_time.h"
#include "server/usage/usage_void.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Time TimeOr(bool is_set, const google::protobuf::Timestamp& time, absl::Time otherwise) {
  return is_set ? priority::CutToMicroseconds(ToTime(time)) : otherwise;
}

storage::VoidFilter ToFilter(const v1::UsageVoidFilter& filter) {
  const absl::Time past = absl::InfinitePast();
  const absl::Time future = absl::InfiniteFuture();
  return {
      .sources = {filter.sources().begin(), filter.sources().end()},
      .job_ids = {filter.job_ids().begin(), filter.job_ids().end()},
      .users = {filter.users().begin(), filter.users().end()},
      .accounts = {filter.accounts().begin(), filter.accounts().end()},
      .ended_from = TimeOr(filter.has_ended_from(), filter.ended_from(), past),
      .ended_before = TimeOr(filter.has_ended_before(), filter.ended_before(), future),
      .recorded_from = TimeOr(filter.has_recorded_from(), filter.recorded_from(), past),
      .recorded_before = TimeOr(filter.has_recorded_before(), filter.recorded_before(), future)};
}

void Fill(const usage::VoidPreview& preview, v1::VoidUsageResponse* response) {
  response->set_records(preview.records);
  response->set_rolled_up_records(preview.rolled_up);
  if (preview.horizon != absl::InfinitePast()) {
    ToProto(preview.horizon, response->mutable_ledger_horizon());
  }
  double usage = 0;
  for (const auto& [account, sum] : preview.accounts) {
    v1::VoidedAccount* row = response->add_accounts();
    row->set_account(account);
    row->set_records(sum.records);
    row->set_usage(sum.usage);
    row->set_decayed_usage(sum.decayed_usage);
    usage += sum.usage;
  }
  response->set_usage(usage);
}

void Fill(const storage::UsageVoid& row, bool done, v1::VoidUsageResponse* response) {
  response->set_void_id(row.id);
  response->set_done(done);
  response->set_records(row.voided_records);
  response->set_usage(row.voided_usage);
  response->set_restored_records(row.restored_records);
}

}  // namespace

absl::Status VoidUsage(const AdministrationCall& call, const v1::VoidUsageRequest& request,
                       v1::VoidUsageResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const usage::VoidRequest wanted{.cluster = call.cluster,
                                  .principal = call.caller.ToString(),
                                  .comment = request.comment(),
                                  .void_id = request.void_id(),
                                  .filter = ToFilter(request.filter())};
  if (request.validate_only()) {
    absl::StatusOr<usage::VoidPreview> preview = usage::PreviewVoid(call.database, wanted);
    if (preview.ok()) Fill(*preview, response);
    return preview.status();
  }
  absl::StatusOr<storage::UsageVoid> row = usage::VoidUsage(call.database, wanted);
  if (row.ok()) Fill(*row, row->state == "voided", response);
  return row.status();
}

absl::Status RestoreUsage(const AdministrationCall& call, const v1::RestoreUsageRequest& request,
                          v1::VoidUsageResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<storage::UsageVoid> row =
      usage::RestoreUsage(call.database, {.cluster = call.cluster,
                                          .principal = call.caller.ToString(),
                                          .comment = request.comment(),
                                          .void_id = request.void_id()});
  if (row.ok()) Fill(*row, row->state == "restored", response);
  return row.status();
}

}  // namespace priorityd::rpc
