#include "tests/bench/secured_site.h"

#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/bench_site.h"
#include "tests/server/identity/signing_key.h"

namespace priorityd::bench {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

Proofs::Proofs() {
  Write("jwt.key", secret_);
  Write("auth.conf",
        absl::StrCat("AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=", Path("jwt.key"),
                     "\nSlurmctldParameters=rl_enable,rl_bucket_size=1000000\n"));
}

std::string Proofs::Path(const std::string& name) const {
  return absl::StrCat(folder_.path(), "/", name);
}

std::string Proofs::TokenOf(const std::string& user) const {
  const int64_t expires = absl::ToUnixSeconds(absl::Now() + absl::Hours(24));
  return "Bearer " + identity::SigningKey::OfSecret(secret_).Token(
                         absl::StrCat(R"({"sun":")", user, R"(","exp":)", expires, "}"));
}

void Proofs::Write(const std::string& name, const std::string& content) const {
  std::ofstream(Path(name), std::ios::binary) << content;
  chmod(Path(name).c_str(), 0600);
}

Ranked::Ranked(const std::string& address, const std::string& administrator, std::string user)
    : Ranked(address, std::move(user)) {
  ImportSite(Connect(address), administrator);
  UpdateJobsRequest request;
  *request.mutable_upserts() = Queue(kRankedJobs).jobs().jobs();
  grpc::ClientContext context;
  if (!administrator.empty()) context.AddMetadata("authorization", administrator);
  UpdateJobsResponse response;
  Check(stub_->UpdateJobs(&context, request, &response));
}

Ranked::Ranked(const std::string& address, std::string user)
    : user_(std::move(user)), stub_(PriorityService::NewStub(Connect(address))) {}

double Ranked::MillisecondsOfACall() {
  RankJobsRequest request;
  request.mutable_tracked();
  grpc::ClientContext context;
  if (!user_.empty()) context.AddMetadata("authorization", user_);
  RankJobsResponse response;
  const absl::Time start = absl::Now();
  Check(stub_->RankJobs(&context, request, &response));
  const double milliseconds = absl::ToDoubleMilliseconds(absl::Now() - start);
  if (response.ranked_size() != kRankedJobs) Die(absl::StrCat(response.ranked_size(), " rows"));
  return milliseconds;
}

InTurns CallInTurns(Ranked& value, Ranked& reference, int warm_up, int calls) {
  InTurns milliseconds;
  for (int i = 0; i < warm_up + calls; ++i) {
    // Neither is always the first.
    double of_reference = i % 2 == 0 ? reference.MillisecondsOfACall() : 0;
    const double of_value = value.MillisecondsOfACall();
    if (i % 2 == 1) of_reference = reference.MillisecondsOfACall();
    if (i < warm_up) continue;
    milliseconds.values.push_back(of_value);
    milliseconds.references.push_back(of_reference);
  }
  return milliseconds;
}

}  // namespace priorityd::bench
