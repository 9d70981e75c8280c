#include "client/examples/batch_frontend/remote_cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::batch_frontend {
namespace {

// The frontend's source in the service.
constexpr char kSource[] = "batch_frontend";
// The records of one RecordUsage.
constexpr size_t kMaxRecords = 100'000;

void AddFile(v1::FileKind kind, const std::string& name, const std::string& content,
             v1::ImportRequest* request) {
  if (content.empty()) return;
  v1::File* file = request->add_files();
  file->set_kind(kind);
  file->set_name(name);
  file->set_content(content);
}

}  // namespace

google::protobuf::Timestamp ToProto(absl::Time time) {
  google::protobuf::Timestamp proto;
  proto.set_seconds(absl::ToUnixSeconds(time));
  return proto;
}

template <typename Request, typename Response>
absl::StatusOr<Response> RemoteCluster::Call(
    const char* name, absl::StatusOr<Response> (client::PriorityClient::*method)(Request) const,
    Request request) {
  const absl::Time start = absl::Now();
  absl::StatusOr<Response> response = (client_.*method)(std::move(request));
  CallCount& count = calls_[name];
  ++count.calls;
  count.time += absl::Now() - start;
  return response;
}

absl::Status RemoteCluster::Import(const std::string& slurm_conf,
                                   const std::string& sacctmgr_dump) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", slurm_conf, &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "sacctmgr.dump", sacctmgr_dump, &request);
  auto imported = Call("Import", &client::PriorityClient::Import, std::move(request));
  if (!imported.ok()) return imported.status();
  auto policy = Call("GetPolicy", &client::PriorityClient::GetPolicy, v1::GetPolicyRequest());
  if (!policy.ok()) return policy.status();
  const v1::PolicyParameters& parameters = policy->parameters();
  if (parameters.clock() != "manual") {
    return absl::FailedPreconditionError(absl::StrCat("slurm.conf: got Clock=", parameters.clock(),
                                                      ", want Clock=manual for simulated time"));
  }
  calc_period_ = absl::Seconds(parameters.calc_period().seconds());
  half_life_ = absl::Seconds(parameters.decay_half_life().seconds());
  return absl::OkStatus();
}

absl::Status RemoteCluster::Recalculate(absl::Time as_of) {
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToProto(as_of);
  return Call("Recalculate", &client::PriorityClient::Recalculate, std::move(request)).status();
}

absl::StatusOr<std::vector<v1::JobUpdateResult>> RemoteCluster::UpdateJobs(
    std::vector<v1::Job> jobs) {
  v1::UpdateJobsRequest request;
  request.set_source(kSource);
  for (v1::Job& job : jobs) *request.add_upserts() = std::move(job);
  auto response = Call("UpdateJobs", &client::PriorityClient::UpdateJobs, std::move(request));
  if (!response.ok()) return response.status();
  return std::vector<v1::JobUpdateResult>(response->upserts().begin(), response->upserts().end());
}

absl::StatusOr<v1::PlanStartsResponse> RemoteCluster::PlanStarts(v1::PlanStartsRequest request) {
  request.mutable_tracked();
  return Call("PlanStarts", &client::PriorityClient::PlanStarts, std::move(request));
}

absl::StatusOr<v1::SuggestPreemptionResponse> RemoteCluster::SuggestPreemption(
    v1::SuggestPreemptionRequest request) {
  request.mutable_tracked();
  return Call("SuggestPreemption", &client::PriorityClient::SuggestPreemption, std::move(request));
}

absl::StatusOr<std::map<std::string, int64_t>> RemoteCluster::IneligibleReasons(absl::Time as_of) {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(1);
  request.set_running_limit(0);
  *request.mutable_as_of() = ToProto(as_of);
  auto response = Call("RankJobs", &client::PriorityClient::RankJobs, std::move(request));
  if (!response.ok()) return response.status();
  std::map<std::string, int64_t> reasons;
  for (const v1::IneligibleJob& job : response->ineligible()) ++reasons[job.reason()];
  return reasons;
}

absl::Status RemoteCluster::RecordUsage(std::vector<v1::UsageRecord> records) {
  for (size_t first = 0; first < records.size(); first += kMaxRecords) {
    v1::RecordUsageRequest request;
    for (size_t i = first; i < records.size() && i < first + kMaxRecords; ++i) {
      records[i].set_source(kSource);
      *request.add_records() = std::move(records[i]);
    }
    auto response = Call("RecordUsage", &client::PriorityClient::RecordUsage, std::move(request));
    if (!response.ok()) return response.status();
    for (const v1::UsageRecordResult& result : response->results()) {
      if (result.status() != v1::USAGE_RECORD_STATUS_REJECTED) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("usage rejected: ", result.field(), ": ", result.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::ListSharesResponse> RemoteCluster::Shares() {
  return Call("ListShares", &client::PriorityClient::ListAllShares, v1::ListSharesRequest());
}

}  // namespace priorityd::batch_frontend
