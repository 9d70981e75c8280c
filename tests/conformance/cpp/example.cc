// The C++ examples of docs/clients.md, which the tests of the docs run.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "priorityd/client/authorization.h"
#include "priorityd/client/priority_client.h"
#include "priorityd/client/ranking_watch.h"
#include "priorityd/client/rpc_error.h"
#include "priorityd/client/usage_batcher.h"

namespace client = priorityd::client;
namespace v1 = priority::v1;

// Over TLS, with a token: the caller's identity by the service.
absl::Status PrintCaller() {
  const auto tls = client::MakeChannelCredentials({.ca = std::getenv("PRIORITYD_TLS_CA")});
  if (!tls.ok()) return tls.status();
  client::ConnectOptions options;
  options.address = std::getenv("PRIORITYD_SERVER");
  options.credentials = *tls;
  options.authorize = client::MakeAuthorize(
      {.proof = client::Proof::kToken, .token_file = std::getenv("PRIORITYD_TOKEN_FILE")});
  const client::PriorityClient priority(options);
  const auto caller = priority.GetCaller({});
  if (!caller.ok()) return caller.status();
  std::cout << caller->name() << " " << caller->credential() << "\n";
  return absl::OkStatus();
}

v1::UpdateJobsRequest Queue() {
  v1::UpdateJobsRequest request;
  request.set_source("cpp-example");
  request.set_full_sync(true);
  v1::Job& job = *request.add_upserts();
  job.set_job_id("21");
  job.set_user("amy");
  job.set_account("a");
  job.set_state(v1::JOB_STATE_PENDING);
  job.set_nodes(1);
  job.set_cpus(4);
  return request;
}

v1::UsageRecord Record() {
  v1::UsageRecord record;
  record.set_source("cpp-example");
  record.set_record_id("21.0");
  record.set_user("amy");
  record.set_account("a");
  record.mutable_start_time()->set_seconds(1'700'000'000);
  record.mutable_end_time()->set_seconds(1'700'003'600);
  (*record.mutable_tres())["cpu"] = 4;
  return record;
}

absl::Status SendUsage(const client::PriorityClient& priority) {
  client::UsageBatcher batcher(&priority, /*batch_size=*/1000,
                               [](int64_t first, const v1::RecordUsageResponse& answer) {
                                 std::cout << "from " << first << ": " << answer.accepted()
                                           << " accepted, " << answer.duplicates() << " known\n";
                               });
  if (absl::Status added = batcher.Add(Record()); !added.ok()) return added;
  return batcher.Flush();
}

absl::Status PrintTop(const client::PriorityClient& priority) {
  v1::WatchRankingRequest request;
  request.add_users("amy");
  client::RankingWatch watch(&priority, request);
  return watch.Run([](const v1::WatchRankingResponse&, const client::WatchedTop& top) {
    for (const v1::RankedJob& row : top.ranked()) {
      std::cout << row.rank() << " " << row.job_id() << "\n";
    }
    return false;  // One answer is enough.
  });
}

absl::Status Run() {
  client::ConnectOptions options;
  options.address = std::getenv("PRIORITYD_SERVER");
  const client::PriorityClient priority(options);
  const auto updated = priority.UpdateJobs(Queue());
  if (!updated.ok()) return updated.status();
  if (absl::Status sent = SendUsage(priority); !sent.ok()) return sent;
  if (absl::Status watched = PrintTop(priority); !watched.ok()) return watched;

  v1::ListSharesRequest request;
  request.set_cluster("nowhere");
  const absl::Status error = priority.ListShares(request).status();
  std::cout << error.code() << " " << client::Reason(error) << "\n";
  return absl::OkStatus();
}

int main() {
  const bool secured = std::getenv("PRIORITYD_TLS_CA") != nullptr;
  const absl::Status done = secured ? PrintCaller() : Run();
  if (!done.ok()) std::cerr << client::Describe(done) << "\n";
  return done.ok() ? 0 : 1;
}
