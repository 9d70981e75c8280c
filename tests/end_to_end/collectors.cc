#include "tests/end_to_end/collectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/retry.h"
#include "client/rpc_error.h"
#include "tests/await.h"

namespace priorityd {

namespace v1 = ::priority::v1;

namespace collected {
namespace {

constexpr int64_t kBegin = 1'700'000'000;
constexpr int kSeconds = 10;
constexpr int kPerJob = 100;

// Of the counters of a job, from 1 on.
int64_t Reading(int64_t i) { return i % kPerJob / 10 * 2 + i % 10 - 7; }

double CpuSecondsAfter(int64_t readings) {
  double seconds = 0;
  for (int64_t reading = 1; reading <= readings; ++reading) seconds += kSeconds * (1 + reading % 3);
  return seconds;
}

}  // namespace

std::string SourceOf(int collector) { return absl::StrCat("collector-", collector); }
std::string UserOf(int collector) { return absl::StrCat("u", collector); }
bool IsCounters(int64_t i) { return i % 10 >= 8; }

bool Counts(int64_t i, int64_t count) {
  if (i % 10 == 3) return i + 3 >= count;
  if (i % 10 == 6) return i + 1 >= count;
  return true;
}

v1::UsageRecord RecordOf(int collector, int64_t i) {
  v1::UsageRecord record;
  record.set_source(SourceOf(collector));
  record.set_user(UserOf(collector));
  record.set_account("a");
  if (IsCounters(i)) {
    const int64_t job = i / kPerJob;
    record.set_job_id(absl::StrCat("job-", job));
    record.mutable_start_time()->set_seconds(kBegin + 1000 * job);
    record.mutable_end_time()->set_seconds(kBegin + 1000 * job + kSeconds * Reading(i));
    (*record.mutable_counters()->mutable_tres_seconds())["cpu"] = CpuSecondsAfter(Reading(i));
    return record;
  }
  record.set_record_id(absl::StrCat(i));
  record.mutable_start_time()->set_seconds(kBegin + i);
  record.mutable_end_time()->set_seconds(kBegin + i + kSeconds);
  (*record.mutable_tres())["cpu"] = static_cast<double>(1 + i % 7);
  if (i % 10 == 6) record.set_replaces_record_id(absl::StrCat(i - 3));
  if (i % 10 == 7) record.set_replaces_record_id(absl::StrCat(i - 1));
  return record;
}

}  // namespace collected

namespace {

constexpr absl::Duration kPatience = absl::Minutes(2);
// Longer than any test, which would hang instead.
constexpr absl::Duration kLongestStream = absl::Hours(1);
constexpr absl::Duration kBeforeNextTry = absl::Milliseconds(20);
constexpr size_t kMaxInFlight = 4;
constexpr int64_t kResendBatch = 500;

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt("grpc.enable_http_proxy", 0);
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  arguments.SetInt("grpc.initial_reconnect_backoff_ms", 50);
  arguments.SetInt("grpc.max_reconnect_backoff_ms", 200);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

struct Collectors::Collector {
  int number = 0;
  std::vector<bool> acknowledged;  // By record; its size is how many were ever sent.

  int64_t sent() const { return static_cast<int64_t>(acknowledged.size()); }
};

struct Collectors::InFlight {
  using Stream = grpc::ClientReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>;

  std::unique_ptr<Stream> stream;
  int64_t next = 0;                    // The record to send next.
  std::map<int64_t, int64_t> batches;  // First record to their number.
};

Collectors::Collectors(std::string address) : address_(std::move(address)) {
  for (int i = 0; i < kCount; ++i) threads_.emplace_back([this, i] { Run(i); });
}

Collectors::~Collectors() { Finish(); }

bool Collectors::Await(const std::function<bool()>& done, const char* what) {
  if (priorityd::Await(done, kPatience)) return true;
  ADD_FAILURE() << "waited in vain for " << what;
  return false;
}

bool Collectors::AwaitNew(int64_t batches) {
  const int64_t wanted = new_answers_ + batches;
  return Await([&] { return new_answers_ >= wanted; }, "new records to be acknowledged");
}

void Collectors::Finish() {
  finishes_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Collectors::Run(int number) {
  Collector collector{.number = number};
  while (!RunStream(collector)) absl::SleepFor(kBeforeNextTry);
  recorded_[number] = collector.sent();
}

bool Collectors::RunStream(Collector& collector) {
  auto channel = Connect(address_);
  if (!channel->WaitForConnected(absl::ToChronoTime(absl::Now() + 2 * kPatience))) {
    ADD_FAILURE() << "no connection to " << address_;
    return true;
  }
  auto stub = v1::PriorityService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kLongestStream));
  InFlight in_flight{.stream = stub->StreamUsage(&context)};
  bool broken = false;
  while (!broken) {
    broken = !SendSome(collector, in_flight);
    if (!broken && in_flight.batches.empty()) break;
    broken = !TakeAnswer(collector, in_flight) || broken;
  }
  // Only a client that has read all answers gets the end of the stream.
  while (broken && TakeAnswer(collector, in_flight)) {
  }
  if (!broken) in_flight.stream->WritesDone();
  const grpc::Status status = in_flight.stream->Finish();
  if (!broken) return true;
  CheckError(status);
  return false;
}

bool Collectors::SendSome(Collector& collector, InFlight& in_flight) {
  while (in_flight.batches.size() < kMaxInFlight) {
    const int64_t first = in_flight.next;
    const bool again = first < collector.sent();
    if (!again && finishes_) break;
    const int64_t count =
        again ? std::min(kResendBatch, collector.sent() - first) : 5 + 15 * collector.number;
    v1::StreamUsageRequest request;
    request.set_batch_id(first);
    for (int64_t i = first; i < first + count; ++i) {
      *request.mutable_batch()->add_records() = collected::RecordOf(collector.number, i);
    }
    in_flight.next = first + count;
    in_flight.batches[first] = count;
    if (!again) collector.acknowledged.resize(in_flight.next);
    if (!in_flight.stream->Write(request)) return false;
  }
  return true;
}

bool Collectors::TakeAnswer(Collector& collector, InFlight& in_flight) {
  v1::StreamUsageResponse response;
  if (!in_flight.stream->Read(&response)) return false;
  const int64_t first = response.batch_id();
  const auto& results = response.results().results();
  EXPECT_EQ(results.size(), in_flight.batches[first]);
  in_flight.batches.erase(first);
  bool all_new = true;
  for (int i = 0; i < results.size(); ++i) {
    const v1::UsageRecordResult& result = results[i];
    EXPECT_NE(result.status(), v1::USAGE_RECORD_STATUS_REJECTED)
        << "record " << first + i << ": " << result.field() << ": " << result.message();
    if (!collector.acknowledged[first + i]) continue;
    all_new = false;
    EXPECT_EQ(result.status(), v1::USAGE_RECORD_STATUS_DUPLICATE)
        << "record " << first + i << " was acknowledged before";
  }
  std::fill_n(collector.acknowledged.begin() + first, results.size(), true);
  ++answers_;
  if (all_new) ++new_answers_;
  return true;
}

void Collectors::CheckError(const grpc::Status& status) {
  ++errors_;
  const bool lost = status.error_code() == grpc::StatusCode::UNAVAILABLE;
  EXPECT_TRUE(lost || client::IsTransient(client::FromGrpc(status)))
      << status.error_code() << ": " << status.error_message();
}

}  // namespace priorityd
