// Durable ingest through the real server beside PostgreSQL's own COPY and merge of
// the same rows by psql, and the latency of RankJobs while recording at full
// speed. Prints one JSON line per figure.
//
// usage: ingest_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/usage_stream.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/psql_reference.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;
using ::priority::v1::RecordUsageRequest;
using ::priority::v1::RecordUsageResponse;

constexpr double kThroughputTarget = 1.0;
constexpr double kLatencyTarget = 2;
constexpr int kRounds = 3;
constexpr int kRankings = 2000;
constexpr int kQueue = 100;

// How much one client sends in a round.
struct Load {
  int clients;
  int batch;
  int records;  // Per client.
};
constexpr Load kLoads[] = {{1, 1, 200},         {8, 1, 200},        {1, 100, 20'000},
                           {8, 100, 10'000},    {1, 1000, 40'000},  {8, 1000, 20'000},
                           {1, 10'000, 60'000}, {8, 10'000, 20'000}};

// So that no record_id comes twice.
std::atomic<int> next_run{0};

// The records of psql_reference, as a collector sends them.
std::vector<RecordUsageRequest> Batches(int client, int records, int batch) {
  const int run = ++next_run;
  const int64_t start = absl::ToUnixSeconds(absl::Now()) - 7200;
  std::vector<RecordUsageRequest> batches;
  for (int i = 0; i < records; ++i) {
    if (i % batch == 0) batches.emplace_back();
    auto* record = batches.back().add_records();
    const int association = 1 + (i * 7919 + client) % (kAccounts * kUsersPerAccount);
    const int account = association % kAccounts;
    record->set_source(absl::StrCat("collector-", client));
    record->set_record_id(absl::StrCat(run, ".", i));
    record->set_job_id(absl::StrCat(1000000 + i));
    record->set_user(absl::StrCat("u", account, "_", association / kAccounts % kUsersPerAccount));
    record->set_account(absl::StrCat("a", account));
    record->set_partition("p1");
    record->mutable_start_time()->set_seconds(start + i % 50);
    record->mutable_end_time()->set_seconds(start + 3600);
    (*record->mutable_tres())["cpu"] = 1 + i % 64;
    (*record->mutable_tres())["mem"] = 4000;
  }
  return batches;
}

// Sends every batch over one stream, as prioctl record does.
void Send(const std::vector<RecordUsageRequest>& batches) {
  const client::PriorityClient client({.address = Priorityd::address(), .cluster = ""});
  int64_t accepted = 0, sent = 0;
  client::UsageStream stream(
      &client, [&](const RecordUsageResponse& answer) { accepted += answer.accepted(); });
  for (const RecordUsageRequest& batch : batches) {
    sent += batch.records_size();
    if (absl::Status s = stream.Send(batch); !s.ok()) Die(std::string(s.message()));
  }
  if (absl::Status s = stream.Flush(); !s.ok()) Die(std::string(s.message()));
  if (accepted != sent) Die("not every record was accepted");
}

double Seconds(const Load& load) {
  std::vector<std::vector<RecordUsageRequest>> work;
  for (int c = 0; c < load.clients; ++c) work.push_back(Batches(c, load.records, load.batch));
  const absl::Time start = absl::Now();
  std::vector<std::thread> clients;
  for (const auto& batches : work) clients.emplace_back([&batches] { Send(batches); });
  for (std::thread& client : clients) client.join();
  return absl::ToDoubleSeconds(absl::Now() - start);
}

void MeasureThroughput(const Load& load, PsqlReference* psql) {
  std::vector<double> values, references;
  const double records = static_cast<double>(load.clients) * load.records;
  for (int round = 0; round < kRounds; ++round) {
    values.push_back(records / Seconds(load));
    references.push_back(records / psql->Seconds(load.clients, load.records, load.batch));
  }
  Print({absl::StrCat("ingest_batches_of_", load.batch, "_from_", load.clients),
         Quantile(values, 0.5), Quantile(references, 0.5), kThroughputTarget, "records/s", true});
}

// Milliseconds of RankJobs, one call after the other.
std::vector<double> RankLatencies() {
  auto stub = PriorityService::NewStub(Connect(Priorityd::address()));
  const RankJobsRequest request = Queue(kQueue);
  std::vector<double> latencies;
  for (int i = 0; i < kRankings; ++i) {
    grpc::ClientContext context;
    RankJobsResponse response;
    const absl::Time start = absl::Now();
    Check(stub->RankJobs(&context, request, &response));
    latencies.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
  }
  return latencies;
}

void MeasureLatency() {
  RankLatencies();
  const std::vector<double> idle = RankLatencies();
  std::atomic<bool> stop{false};
  std::vector<std::thread> recorders;
  for (int c = 0; c < 8; ++c) {
    recorders.emplace_back([c, &stop] {
      while (!stop) Send(Batches(c, 5000, 1000));
    });
  }
  RankLatencies();
  const std::vector<double> busy = RankLatencies();
  stop = true;
  for (std::thread& recorder : recorders) recorder.join();
  Print({"ingest_rank_jobs_p50_while_recording", Quantile(busy, 0.5), Quantile(idle, 0.5),
         kLatencyTarget, "ms"});
  Print({"ingest_rank_jobs_p99_while_recording", Quantile(busy, 0.99), Quantile(idle, 0.99),
         kLatencyTarget, "ms"});
}

int Main(int argc, char** argv) {
  if (argc != 2) Die("usage: ingest_bench PRIORITYD");
  Priorityd server(argv[1]);
  ImportSite(Connect(Priorityd::address()));
  PsqlReference psql(server.data_dir());
  for (const Load& load : kLoads) MeasureThroughput(load, &psql);
  MeasureLatency();
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
