// Reads tasks, lines of JSON, and writes an outcome for each; task.go of tests/conformance has the
// fields.
#include <atomic>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/authorization.h"
#include "client/priority_client.h"
#include "client/ranking_watch.h"
#include "client/rpc_error.h"
#include "client/usage_batcher.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
using nlohmann::json;

constexpr int64_t kRecordsBegin = 1'700'000'000;
constexpr int64_t kRecordSeconds = 10;
// An unreachable service returns within so many.
constexpr int kFlushes = 100;

absl::Duration Milliseconds(const json& task, const char* field) {
  return absl::Milliseconds(task.at(field).get<int64_t>());
}

std::string Text(const json& task, const char* field) { return task.at(field).get<std::string>(); }

absl::Status Credentials(const json& task, client::ConnectOptions* options) {
  client::ProofOptions proof;
  proof.token_file = Text(task, "token_file");
  proof.munge_socket = Text(task, "munge_socket");
  if (!proof.token_file.empty()) proof.proof = client::Proof::kToken;
  if (!proof.munge_socket.empty()) proof.proof = client::Proof::kMunge;
  if (proof.proof != client::Proof::kAutomatic) options->authorize = client::MakeAuthorize(proof);
  const auto credentials = client::MakeChannelCredentials(
      {.ca = Text(task, "ca"), .certificate = Text(task, "certificate"), .key = Text(task, "key")});
  if (credentials.ok()) options->credentials = *credentials;
  return credentials.status();
}

v1::UsageRecord Record(const std::string& user, int64_t i) {
  v1::UsageRecord record;
  record.set_source(user);
  record.set_record_id(absl::StrCat(i));
  record.set_user(user);
  record.set_account("a");
  record.mutable_start_time()->set_seconds(kRecordsBegin + kRecordSeconds * i);
  record.mutable_end_time()->set_seconds(kRecordsBegin + kRecordSeconds * (i + 1));
  (*record.mutable_tres())["cpu"] = static_cast<double>(1 + i % 7);
  return record;
}

template <typename Jobs>
json IdsOf(const Jobs& jobs) {
  json ids = json::array();
  for (const auto& job : jobs) ids.push_back(job.job_id());
  return ids;
}

json OrNone(const json& ids) { return ids.is_null() ? json::array() : ids; }

// One task.
class Run {
 public:
  Run(const json& task, client::ConnectOptions options)
      : task_(task), client_(std::move(options)), user_(Text(task, "user")) {}

  absl::Status Call() {
    const std::string call = Text(task_, "call");
    if (call == "RankJobs") return RankJobs();
    if (call == "RecordUsage") return RecordUsage();
    if (call == "Recalculate") return client_.Recalculate({}).status();
    if (call == "RebuildUsage") return Rebuild();
    if (call == "GetStatus") return client_.GetStatus({}).status();
    if (call == "AllShares") return AllShares();
    if (call == "UsageBatcher") return Batch();
    if (call == "Spool") return Spool();
    if (call == "Serving") return Serving();
    if (call == "RankingWatch") return Watch();
    return absl::UnimplementedError(call);
  }

  json outcome = json::object();

 private:
  absl::Status RankJobs() const {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    return client_.RankJobs(std::move(request)).status();
  }

  absl::Status Rebuild() const {
    v1::RebuildUsageRequest request;
    request.set_validate_only(true);
    return client_.RebuildUsage(std::move(request), [](const auto&) {}).status();
  }

  int64_t records() const { return task_.at("records").get<int64_t>(); }

  void Answered(const v1::RecordUsageResponse& answer) {
    answered_ += answer.accepted() + answer.duplicates();
    outcome["answered"] = answered_;
  }

  absl::Status RecordUsage() {
    v1::RecordUsageRequest request;
    for (int64_t i = 0; i < records(); ++i) *request.add_records() = Record(user_, i);
    const auto answer = client_.RecordUsage(std::move(request));
    if (answer.ok()) Answered(*answer);
    return answer.status();
  }

  absl::Status AllShares() {
    v1::ListSharesRequest request;
    request.set_page_size(task_.at("page_size").get<int>());
    const auto shares = client_.ListAllShares(std::move(request));
    if (shares.ok()) outcome["rows"] = shares->shares_size();
    return shares.status();
  }

  absl::Status AddAll(client::UsageBatcher* batcher) const {
    for (int64_t i = 0; i < records(); ++i) {
      if (absl::Status added = batcher->Add(Record(user_, i)); !added.ok()) return added;
    }
    return batcher->Flush();
  }

  absl::Status Batch() {
    client::UsageBatcher batcher(
        &client_, task_.at("batch_size").get<int>(),
        [this](int64_t, const v1::RecordUsageResponse& answer) { Answered(answer); });
    absl::Status status = AddAll(&batcher);
    if (!status.ok() && task_.at("flush_again").get<bool>()) status = batcher.Flush();
    return status;
  }

  // Adds records until a batcher rejects one, and flushes until all are answered.
  absl::Status Spool() {
    client::UsageBatcher batcher(
        &client_, task_.at("batch_size").get<int>(),
        [this](int64_t, const v1::RecordUsageResponse& answer) { Answered(answer); },
        task_.at("max_kept").get<int64_t>());
    bool full = false;
    for (int64_t i = 0; i < records() && !full; ++i) {
      full = client::IsSpoolFull(batcher.Add(Record(user_, i)));
    }
    outcome["full"] = full;
    absl::Status status = batcher.Flush();
    for (int i = 0; i < kFlushes && !status.ok(); ++i) status = batcher.Flush();
    return status;
  }

  absl::Status Serving() const {
    const absl::StatusOr<bool> serving = client_.Serving();
    if (!serving.ok()) return serving.status();
    return *serving ? absl::OkStatus() : absl::UnknownError("not serving");
  }

  absl::Status Watch() {
    v1::WatchRankingRequest request;
    request.add_users(user_);
    request.set_limit(task_.at("limit").get<uint32_t>());
    request.set_ineligible(task_.at("ineligible").get<bool>());
    client::RetryPolicy reconnect = client::RankingWatch::kReconnect;
    reconnect.initial_backoff = client_.options().retry.initial_backoff;
    client::RankingWatch watch(&client_, std::move(request), reconnect);
    return watch.Run([this](const auto&, const client::WatchedTop& top) {
      outcome["top"] = IdsOf(top.ranked());
      outcome["ineligible"] = IdsOf(top.ineligible());
      return outcome["top"] != task_.at("until") ||
             outcome["ineligible"] != OrNone(task_.at("until_ineligible"));
    });
  }

  const json& task_;
  const client::PriorityClient client_;
  const std::string user_;
  int64_t answered_ = 0;
};

void WriteStatus(const absl::Status& status, json* outcome) {
  (*outcome)["code"] = absl::StatusCodeToString(status.code());
  (*outcome)["message"] = client::Describe(status);
  (*outcome)["reason"] = client::Reason(status);
  for (const client::Violation& violation : client::Violations(status)) {
    (*outcome)["violations"].push_back(violation.field);
  }
}

json OutcomeOf(const json& task) {
  std::atomic<int> notices = 0;
  client::ConnectOptions options = {
      .address = Text(task, "address"),
      .cluster = Text(task, "cluster"),
      .deadline = Milliseconds(task, "deadline_ms"),
      .keepalive_time = Milliseconds(task, "keepalive_ms"),
      .keepalive_timeout = Milliseconds(task, "keepalive_ms"),
      .retry = {.max_attempts = task.at("max_attempts").get<int>(),
                .initial_backoff = Milliseconds(task, "initial_backoff_ms"),
                .max_backoff = Milliseconds(task, "max_backoff_ms")},
      .on_rate_limited = [&](const absl::Status&) { ++notices; }};
  json outcome;
  if (absl::Status status = Credentials(task, &options); !status.ok()) {
    WriteStatus(status, &outcome);
    return outcome;
  }
  Run run(task, std::move(options));
  const absl::Status status = run.Call();
  outcome = run.outcome;
  WriteStatus(status, &outcome);
  outcome["notices"] = notices.load();
  return outcome;
}

}  // namespace
}  // namespace priorityd

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const nlohmann::json outcome = priorityd::OutcomeOf(nlohmann::json::parse(line));
    std::cout << outcome.dump() << std::endl;
  }
}
