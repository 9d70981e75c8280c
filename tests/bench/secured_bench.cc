// RankJobs of 100 tracked jobs on a server that asks who is calling, counts her calls and writes a
// log, beside the same on one that does not; calls go to both in turns. Prints one JSON line per
// figure.
//
// usage: secured_bench PRIORITYD [FLAG ...]      (more flags of the server that asks)
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/server/identity/signing_key.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

constexpr char kSecuredAddress[] = "127.0.0.1:17498";
constexpr int kJobs = 100;
constexpr int kWarmUp = 1000;
constexpr int kCalls = 10'000;
constexpr double kTarget = 1.15;

// What proves who calls.
class Proofs {
 public:
  Proofs() {
    Write("jwt.key", secret_);
    Write("auth.conf",
          absl::StrCat("AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=", Path("jwt.key"),
                       "\nSlurmctldParameters=rl_enable,rl_bucket_size=1000000\n"));
  }
  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_.path(), "/", name);
  }
  std::string TokenOf(const std::string& user) const {
    const int64_t expires = absl::ToUnixSeconds(absl::Now() + absl::Hours(24));
    return "Bearer " + identity::SigningKey::OfSecret(secret_).Token(
                           absl::StrCat(R"({"sun":")", user, R"(","exp":)", expires, "}"));
  }

 private:
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    chmod(Path(name).c_str(), 0600);
  }

  const TemporaryFolder folder_;
  const std::string secret_ = std::string(32, 'k');
};

// A server with 100 tracked jobs, as one caller sees it.
class Ranked {
 public:
  Ranked(const std::string& address, const std::string& administrator, std::string user)
      : user_(std::move(user)) {
    const auto channel = Connect(address);
    ImportSite(channel, administrator);
    stub_ = PriorityService::NewStub(channel);
    UpdateJobsRequest request;
    *request.mutable_upserts() = Queue(kJobs).jobs().jobs();
    grpc::ClientContext context;
    if (!administrator.empty()) context.AddMetadata("authorization", administrator);
    UpdateJobsResponse response;
    Check(stub_->UpdateJobs(&context, request, &response));
  }

  double MillisecondsOfACall() {
    RankJobsRequest request;
    request.mutable_tracked();
    grpc::ClientContext context;
    if (!user_.empty()) context.AddMetadata("authorization", user_);
    RankJobsResponse response;
    const absl::Time start = absl::Now();
    Check(stub_->RankJobs(&context, request, &response));
    const double milliseconds = absl::ToDoubleMilliseconds(absl::Now() - start);
    if (response.ranked_size() != kJobs) Die(absl::StrCat(response.ranked_size(), " rows"));
    return milliseconds;
  }

 private:
  const std::string user_;
  std::unique_ptr<PriorityService::Stub> stub_;
};

double Quantile(std::vector<double>& values, double part) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(part * (values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void Print(const char* name, double value, double reference, const std::string& target) {
  absl::PrintF(
      "{\"name\":\"%s\",\"value\":%.3f,\"reference\":%.3f,\"ratio\":%.3f,%s"
      "\"higher_is_better\":false,\"unit\":\"ms\"}\n",
      name, value, reference, value / reference, target);
  std::fflush(stdout);
}

void Run(const char* binary, const std::vector<std::string>& more_flags) {
  const Proofs proofs;
  std::vector<std::string> flags = {"--auth_file=" + proofs.Path("auth.conf")};
  flags.insert(flags.end(), more_flags.begin(), more_flags.end());
  const Priorityd open_server(binary);
  const Priorityd secured_server(binary, kSecuredAddress, flags, proofs.Path("log"));
  Ranked open(Priorityd::address(), "", "");
  Ranked secured(kSecuredAddress, proofs.TokenOf("root"), proofs.TokenOf("u7_13"));
  std::vector<double> values, references;
  for (int i = 0; i < kWarmUp + kCalls; ++i) {
    // Neither is always the first.
    double reference = i % 2 == 0 ? open.MillisecondsOfACall() : 0;
    const double value = secured.MillisecondsOfACall();
    if (i % 2 == 1) reference = open.MillisecondsOfACall();
    if (i < kWarmUp) continue;
    values.push_back(value);
    references.push_back(reference);
  }
  Print("secured_rank_p50_100", Quantile(values, 0.5), Quantile(references, 0.5),
        absl::StrCat("\"target\":", kTarget, ","));
  Print("secured_rank_p99_100", Quantile(values, 0.99), Quantile(references, 0.99), "");
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc < 2) priorityd::bench::Die("usage: secured_bench PRIORITYD [FLAG ...]");
  priorityd::bench::Run(argv[1], {argv + 2, argv + argc});
}
