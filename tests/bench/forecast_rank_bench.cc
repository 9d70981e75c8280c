// RankJobs of a scheduler through the real server while a user asks again and again for the
// forecasts of all 10,000 waiting jobs, beside RankJobs alone; and how long such an answer takes.
// The same beside a process that uses one CPU and sends nothing shows how much of a ratio is that
// of sharing CPUs. Prints one JSON line per figure.
//
// usage: forecast_rank_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/other_process.h"
#include "tests/bench/secured_site.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::ForecastSource;
using ::priority::v1::ForecastStartsRequest;
using ::priority::v1::ForecastStartsResponse;
using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;

constexpr int kWaiting = 10'000;
// More than the 300 after which a forest forecasts.
constexpr int kStarted = 1'000;
// Alone and beside by turns, so that both have the same of what else the machine does.
constexpr int kRounds = 6;
constexpr int kRankings = 700;  // Of a round.
constexpr absl::Duration kBetweenRankings = absl::Milliseconds(2);
constexpr double kMostOfAlone = 1.2;
constexpr double kMostSeconds = 2;
// Arguments of this program as another process.
constexpr char kAsk[] = "ask";
constexpr char kBurn[] = "burn";

// Jobs that run now; they waited for a minute to a day. A server learns from those that it finds
// after its first look at the queue.
void StartJobs(PriorityService::Stub& stub, const std::string& scheduler) {
  std::mt19937 random(11);
  UpdateJobsRequest request;
  *request.mutable_upserts() = Queue(kStarted).jobs().jobs();
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  for (Job& job : *request.mutable_upserts()) {
    job.set_job_id(absl::StrCat("started-", job.job_id()));
    job.set_state(::priority::v1::JOB_STATE_RUNNING);
    const int64_t start = now - 60 - random() % 80'000;
    job.mutable_submit_time()->set_seconds(start - 60 - random() % 86'400);
    *job.mutable_eligible_time() = job.submit_time();
    job.mutable_start_time()->set_seconds(start);
  }
  Update(stub, request, scheduler);
}

ForecastStartsResponse ForecastAll(PriorityService::Stub& stub, const std::string& user) {
  grpc::ClientContext context;
  context.AddMetadata("authorization", user);
  ForecastStartsResponse response;
  Check(stub.ForecastStarts(&context, {}, &response));
  return response;
}

// Waits until a job has a forecast of that source. The server finds jobs in its looks at the queue,
// and learns on a thread of low priority: it is asked for one job, which costs it little.
void AwaitForecast(PriorityService::Stub& stub, const std::string& scheduler,
                   const std::string& job_id, ForecastSource source) {
  ForecastStartsRequest request;
  request.add_job_ids(job_id);
  for (const absl::Time deadline = absl::Now() + absl::Minutes(5); absl::Now() < deadline;
       absl::SleepFor(absl::Milliseconds(200))) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", scheduler);
    ForecastStartsResponse response;
    Check(stub.ForecastStarts(&context, request, &response));
    if (response.forecasts_size() == 1 && response.forecasts(0).source() == source) return;
  }
  Die(absl::StrCat("job ", job_id, " has no forecast of ", ForecastSource_Name(source),
                   " within five minutes"));
}

// Asks for all forecasts; returns the seconds that it took.
double TimeForecasts(PriorityService::Stub& stub, const std::string& user) {
  const absl::Time begin = absl::Now();
  const int rows = ForecastAll(stub, user).forecasts_size();
  if (rows != kWaiting) Die(absl::StrCat(rows, " rows are forecast"));
  return absl::ToDoubleSeconds(absl::Now() - begin);
}

std::vector<double> NumbersIn(const std::string& path) {
  std::ifstream file(path);
  return {std::istream_iterator<double>(file), std::istream_iterator<double>()};
}

void Run(const char* binary) {
  const Proofs proofs;
  const std::string scheduler = proofs.TokenOf("root");
  const std::string user = proofs.TokenOf("u7_13");
  const Priorityd server(binary, Priorityd::address(),
                         {"--forecast_interval=1", "--auth_file=" + proofs.Path("auth.conf")},
                         "/dev/null");
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel, scheduler);
  const auto stub = PriorityService::NewStub(channel);
  FillQueue(*stub, kWaiting, scheduler);
  const std::string job = Queue(1).jobs().jobs(0).job_id();
  AwaitForecast(*stub, scheduler, job, ::priority::v1::FORECAST_SOURCE_NOTHING);
  StartJobs(*stub, scheduler);
  AwaitForecast(*stub, scheduler, job, ::priority::v1::FORECAST_SOURCE_FOREST);
  std::vector<double> alone, beside, beside_burner;
  const auto rank = [&](std::vector<double>* milliseconds) {
    const std::vector<double> calls = RankTop(*stub, kRankings, kBetweenRankings, scheduler);
    milliseconds->insert(milliseconds->end(), calls.begin(), calls.end());
  };
  const auto rank_beside = [&](const std::string& arguments, std::vector<double>* milliseconds) {
    const OtherProcess other(arguments);
    rank(milliseconds);
  };
  const std::string seconds = proofs.Path("seconds");
  const std::string ask = absl::StrCat(kAsk, " '", user, "' >>", seconds);
  std::vector<double> warm_up;
  rank(&warm_up);
  for (int round = 0; round < kRounds; ++round) {
    rank(&alone);
    rank_beside(kBurn, &beside_burner);
    rank_beside(ask, &beside);
  }
  for (const auto& [part, text] : {std::pair{.5, "p50"}, std::pair{.99, "p99"}}) {
    const std::string name = absl::StrCat("forecast_rank_", text, "_beside");
    const double reference = Quantile(alone, part);
    Print({absl::StrCat(name, "_burner"), Quantile(beside_burner, part), reference, 0, "ms"});
    Print({name, Quantile(beside, part), reference, kMostOfAlone, "ms"});
  }
  // The reference is the bound itself.
  Print({"forecast_answer_of_10000", Quantile(NumbersIn(seconds), .5), kMostSeconds, 1, "s"});
}

// In the other process: asks as a user until the end of the input, then prints the seconds of each
// answer.
void Ask(const std::string& user) {
  const auto stub = PriorityService::NewStub(Connect(Priorityd::address()));
  std::vector<double> seconds;
  {
    const Repeated asking([&](int64_t) { seconds.push_back(TimeForecasts(*stub, user)); });
    AwaitEndOfInput();
  }
  for (const double each : seconds) std::printf("%.6f\n", each);
}

int Main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (argc != (first == kAsk ? 3 : 2)) Die("usage: forecast_rank_bench PRIORITYD");
  if (first != kAsk && first != kBurn) return Run(argv[1]), 0;
  TakeLowestPriority();
  first == kBurn ? Burn(1) : Ask(argv[2]);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
