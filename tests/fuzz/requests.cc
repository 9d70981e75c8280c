#include "tests/fuzz/requests.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/status/status.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/line_reader.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/administration/validate_cluster.h"
#include "server/api/aliases/validate_aliases.h"
#include "server/api/budgets/validate_budget.h"
#include "server/api/caller/validate_caller.h"
#include "server/api/domains/validate_domains.h"
#include "server/api/explanation/validate_explanation.h"
#include "server/api/forecasts/validate_forecast.h"
#include "server/api/grants/validate_grants.h"
#include "server/api/plans/validate_plan.h"
#include "server/api/policy/validate_policy.h"
#include "server/api/queue/validate_queue.h"
#include "server/api/ranking/validate_ranking.h"
#include "server/api/shares/validate_shares.h"
#include "server/api/simulation/validate_simulation.h"
#include "server/api/status/validate_status.h"
#include "server/api/usage/validate_usage.h"
#include "server/transport/request_limits.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/request_conversions.h"

namespace priorityd::fuzz {
namespace {

namespace v1 = ::priority::v1;

using slurm::Check;
using slurm::IsValidUtf8;

void CheckStatus(const absl::Status& status) {
  Check(status.ok() || absl::IsInvalidArgument(status), "a request is valid or invalid");
  Check(status.ok() == errors::ViolationsOf(status).empty(), "violations exactly when not OK");
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    Check(!violation.field.empty() && !violation.description.empty(), "a violation says where");
    Check(IsValidUtf8(violation.field) && IsValidUtf8(violation.description),
          "a violation can be sent");
  }
}

template <typename Request>
absl::Status ValidateAny(const Request& request) {
  constexpr rpc::RequestLimits kLimits = {.max_jobs = 20, .max_records = 20};
  if constexpr (requires { rpc::Validate(request, kLimits); }) {
    return rpc::Validate(request, kLimits);
  } else {
    return rpc::Validate(request);
  }
}

template <typename Request>
void Run(const google::protobuf::Message& message) {
  const auto& request = static_cast<const Request&>(message);
  // A stream's messages are batches.
  if constexpr (requires { request.batch(); }) {
    return Run<v1::RecordUsageRequest>(request.batch());
  } else {
    const absl::Status valid = ValidateAny(request);
    CheckStatus(valid);
    if (valid.ok()) rpc::Convert(request);
  }
}

template <typename... Request>
std::map<std::string, RunRequest> TableOf() {
  return {{Request::descriptor()->name(), Run<Request>}...};
}

// What cannot be sent is tried often, and Protobuf says so each time.
[[maybe_unused]] auto* const silent = google::protobuf::SetLogHandler(nullptr);

class NoErrors : public google::protobuf::io::ErrorCollector {
  void AddError(int, int, const std::string&) override {}
};

}  // namespace

const std::map<std::string, RunRequest>& Requests() {
  static const auto* const requests = new std::map<std::string, RunRequest>(
      TableOf<
          v1::RankJobsRequest, v1::ExplainPriorityRequest, v1::WatchRankingRequest,
          v1::SimulateRequest, v1::LintPolicyRequest, v1::PlanStartsRequest,
          v1::ForecastStartsRequest, v1::ScoreForecastsRequest, v1::SuggestPreemptionRequest,
          v1::RecordUsageRequest, v1::StreamUsageRequest, v1::UpdateJobsRequest, v1::TopJobsRequest,
          v1::ListJobsRequest, v1::ListSharesRequest, v1::ListQosUsageRequest,
          v1::ListBudgetsRequest, v1::ListBudgetEventsRequest, v1::EstimateJobCostRequest,
          v1::ReportUsageRequest, v1::ListUsageRecordsRequest, v1::ListShareHistoryRequest,
          v1::GetCallerRequest, v1::ImportRequest, v1::ApplyPolicyRequest, v1::GetPolicyRequest,
          v1::UpdateClusterRequest, v1::RecalculateRequest, v1::ResetUsageRequest,
          v1::RebuildUsageRequest, v1::VoidUsageRequest, v1::RestoreUsageRequest,
          v1::GetStatusRequest, v1::ListAssociationsRequest, v1::CreateAssociationsRequest,
          v1::UpdateAssociationsRequest, v1::DeleteAssociationsRequest, v1::ListUsersRequest,
          v1::UpdateUsersRequest, v1::ListQosRequest, v1::CreateQosRequest, v1::UpdateQosRequest,
          v1::DeleteQosRequest, v1::ListPartitionsRequest, v1::UpdatePartitionsRequest,
          v1::DeletePartitionsRequest, v1::ListReservationsRequest, v1::UpdateReservationsRequest,
          v1::DeleteReservationsRequest, v1::ListClustersRequest, v1::DeleteClusterRequest,
          v1::MoveClusterRequest, v1::ReadClusterRowsRequest, v1::WriteClusterRowsRequest,
          v1::ExportRequest, v1::ListPolicyVersionsRequest, v1::RollbackPolicyRequest,
          v1::ListAuditEventsRequest, v1::ListUsageSourcesRequest, v1::UndoImportRequest,
          v1::RestoreClusterRequest, v1::CreateBackupRequest, v1::VerifyBackupRequest,
          v1::ListBackupsRequest, v1::ListGrantsRequest, v1::GetGrantStatementRequest,
          v1::UpdateGrantsRequest, v1::RevokeGrantsRequest, v1::TransferGrantRequest,
          v1::ListDomainsRequest, v1::UpdateDomainRequest, v1::ListLeasesRequest,
          v1::EndLeasesRequest, v1::ListAliasesRequest, v1::UpdateAliasesRequest,
          v1::ListUserMergesRequest, v1::MergeUsersRequest, v1::UnmergeUsersRequest>());
  return *requests;
}

google::protobuf::Message* NewRequest(const std::string& name) {
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      "priority.v1." + name);
  return google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New();
}

bool ParseRequest(const std::string& body, google::protobuf::Message* message) {
  google::protobuf::TextFormat::Parser parser;
  NoErrors no_errors;
  parser.RecordErrorsTo(&no_errors);
  // Text may have any bytes, a message on the wire must not.
  if (slurm::IsValidUtf8(body) && parser.ParseFromString(body, message) &&
      message->ParseFromString(message->SerializeAsString())) {
    return true;
  }
  message->Clear();
  if (message->ParseFromString(body)) return true;
  message->Clear();
  return false;
}

}  // namespace priorityd::fuzz
