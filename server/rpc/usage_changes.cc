// AdminService's ResetUsage and RebuildUsage.
#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/call.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/principal.h"
#include "server/rpc/validate.h"
#include "server/usage/usage_rebuild.h"
#include "server/usage/usage_reset.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kMaxDifferences = 1000;

absl::string_view View(const std::string& text) { return {text.data(), text.size()}; }

v1::RebuildUsageResponse ToProto(const usage::RebuildResult& result) {
  v1::RebuildUsageResponse response;
  response.set_records(result.records);
  response.set_fraction(1);
  response.set_done(true);
  response.set_rows(result.rows);
  response.set_different_rows(static_cast<int64_t>(result.wrong.size()));
  for (size_t i = 0; i < std::min(kMaxDifferences, result.wrong.size()); ++i) {
    const usage::WrongRow& row = result.wrong[i];
    v1::UsageDifference* difference = response.add_differences();
    difference->set_account(row.account);
    difference->set_user(row.user);
    difference->set_partition(row.partition);
    difference->set_qos(row.qos);
    difference->set_stored(row.stored);
    difference->set_rebuilt(row.rebuilt);
  }
  return response;
}

}  // namespace

absl::Status AdminService::DoResetUsage(const std::string& principal,
                                        const v1::ResetUsageRequest& request,
                                        v1::ResetUsageResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  auto result = usage::ResetUsage(*options_.database, {.cluster = *cluster,
                                                       .account = request.account(),
                                                       .user = request.user(),
                                                       .partition = request.partition(),
                                                       .comment = request.comment(),
                                                       .principal = principal,
                                                       .now = options_.clock(),
                                                       .validate_only = request.validate_only()});
  if (!result.ok()) return result.status();
  rpc::ToProto(result->reset_at, response->mutable_reset_at());
  response->set_associations(result->associations);
  return absl::OkStatus();
}

absl::Status AdminService::DoRebuildUsage(const std::string& principal,
                                          const v1::RebuildUsageRequest& request,
                                          MessageStream<v1::RebuildUsageResponse>* stream) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::StatusOr<std::string> cluster = options_.registry->Resolve(View(request.cluster()));
  if (!cluster.ok()) return cluster.status();
  auto result = usage::RebuildUsage(
      *options_.database,
      {.cluster = *cluster, .principal = principal, .validate_only = request.validate_only()},
      [&](const usage::Progress& progress) {
        v1::RebuildUsageResponse response;
        response.set_records(progress.records);
        response.set_fraction(progress.fraction);
        return stream->Send(std::move(response));
      });
  if (!result.ok()) return result.status();
  return stream->Send(ToProto(*result));
}

grpc::ServerUnaryReactor* AdminService::ResetUsage(grpc::CallbackServerContext* context,
                                                   const v1::ResetUsageRequest* request,
                                                   v1::ResetUsageResponse* response) {
  return RunCall(*options_.operating, context,
                 [=, this] { return DoResetUsage(PrincipalOf(*context), *request, response); });
}

grpc::ServerWriteReactor<v1::RebuildUsageResponse>* AdminService::RebuildUsage(
    grpc::CallbackServerContext* context, const v1::RebuildUsageRequest* request) {
  auto* stream = new MessageStream<v1::RebuildUsageResponse>;
  options_.operating->Schedule(
      [=, this] { stream->End(DoRebuildUsage(PrincipalOf(*context), *request, stream)); });
  return stream;
}

}  // namespace priorityd::rpc
