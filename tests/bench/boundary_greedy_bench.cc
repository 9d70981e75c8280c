// RankJobs of 100 honest principals, each at a steady rate on its own connection, beside one greedy
// principal that sends as much as it can, and the same without it, in one run. Once with the rates
// of `rl_enable` at their defaults, and once without rates, where quotas alone bound the greedy
// principal. The same beside a process that uses all CPUs and sends nothing shows how much of a
// ratio is that of sharing CPUs with the greedy client. Prints one JSON line per figure, and fails
// if an honest call is refused.
//
// usage: boundary_greedy_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/greedy_caller.h"
#include "tests/bench/other_process.h"
#include "tests/bench/secured_site.h"

namespace priorityd::bench {
namespace {

namespace v1 = ::priority::v1;

constexpr int kHonest = 100;
constexpr int kTracked = 10'000;
constexpr int kTop = 100;
constexpr int kCallsOfEach = 30;
// Slurm's default rate is two calls a second.
constexpr absl::Duration kBetweenCalls = absl::Seconds(1);
constexpr int kListEvery = 10;
constexpr int kUpdateEvery = 15;
constexpr absl::Duration kGreedyStart = absl::Seconds(5);
constexpr int kHttpPort = 17'493;
constexpr char kAddress[] = "127.0.0.1:17494";
constexpr char kGreedyUser[] = "u0_1";
// Arguments of this program as another process.
constexpr char kBeGreedy[] = "greedy";
constexpr char kBurn[] = "burn";

std::string HonestUser(int number) { return absl::StrCat("u", number, "_0"); }

// A principal that asks for its place in the queue, and submits and lists a job now and then.
class HonestCaller {
 public:
  HonestCaller(int number, std::string proof)
      : number_(number),
        proof_(std::move(proof)),
        stub_(v1::PriorityService::NewStub(ConnectAlone(kAddress))) {}
  HonestCaller(const HonestCaller&) = delete;
  HonestCaller& operator=(const HonestCaller&) = delete;

  // Milliseconds of each RankJobs. Begins at a time of its own within a period.
  std::vector<double> Call() {
    std::vector<double> milliseconds;
    absl::Time due = absl::Now() + kBetweenCalls * number_ / kHonest;
    for (int i = 0; i < kCallsOfEach; ++i, due += kBetweenCalls) {
      absl::SleepFor(due - absl::Now());
      const int turn = i + number_;
      if (turn % kListEvery == 0) {
        ListOwnJobs();
      } else if (turn % kUpdateEvery == 0) {
        UpdateOwnJob();
      } else {
        milliseconds.push_back(MillisecondsOfRanking());
      }
    }
    return milliseconds;
  }

  int refused() const { return refused_; }

 private:
  double MillisecondsOfRanking() {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    request.set_limit(kTop);
    v1::RankJobsResponse response;
    const absl::Time start = absl::Now();
    Take(&v1::PriorityService::Stub::RankJobs, request, &response);
    return absl::ToDoubleMilliseconds(absl::Now() - start);
  }

  void ListOwnJobs() {
    v1::ListJobsRequest request;
    request.add_users(HonestUser(number_));
    request.set_page_size(kTop);
    v1::ListJobsResponse response;
    Take(&v1::PriorityService::Stub::ListJobs, request, &response);
  }

  void UpdateOwnJob() {
    v1::UpdateJobsRequest request;
    v1::Job* job = request.add_upserts();
    job->set_job_id(absl::StrCat("honest-", number_));
    job->set_user(HonestUser(number_));
    job->set_account(absl::StrCat("a", number_));
    job->set_cpus(++updates_);
    v1::UpdateJobsResponse response;
    Take(&v1::PriorityService::Stub::UpdateJobs, request, &response);
    for (const v1::JobUpdateResult& result : response.upserts()) {
      if (result.outcome() == v1::UPDATE_OUTCOME_REFUSED) ++refused_;
    }
  }

  template <typename Method, typename Request, typename Response>
  void Take(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", proof_);
    const grpc::Status status = (stub_.get()->*method)(&context, request, response);
    if (status.ok()) return;
    std::fprintf(stderr, "honest caller %d: %s\n", number_, status.error_message().c_str());
    ++refused_;
  }

  const int number_;
  const std::string proof_;
  const std::unique_ptr<v1::PriorityService::Stub> stub_;
  int updates_ = 0;
  int refused_ = 0;
};

// All honest principals. Their connections last from the first call on.
class HonestCallers {
 public:
  explicit HonestCallers(const Proofs& proofs) {
    for (int i = 0; i < kHonest; ++i) callers_.emplace_back(i, proofs.TokenOf(HonestUser(i)));
  }

  // Of all at once. Ends the program if a call is refused.
  std::vector<double> Milliseconds() {
    absl::Mutex mutex;
    std::vector<double> all;
    std::vector<std::thread> threads;
    for (HonestCaller& caller : callers_) {
      threads.emplace_back([&] {
        const std::vector<double> own = caller.Call();
        absl::MutexLock lock(&mutex);
        all.insert(all.end(), own.begin(), own.end());
      });
    }
    for (std::thread& thread : threads) thread.join();
    int refused = 0;
    for (const HonestCaller& caller : callers_) refused += caller.refused();
    if (refused > 0) Die(absl::StrCat(refused, " honest calls were refused, want 0"));
    return all;
  }

 private:
  std::list<HonestCaller> callers_;
};

void FillQueue(const std::string& administrator) {
  ImportSite(Connect(kAddress), administrator);
  v1::UpdateJobsRequest request;
  *request.mutable_upserts() = Queue(kTracked).jobs().jobs();
  grpc::ClientContext context;
  context.AddMetadata("authorization", administrator);
  v1::UpdateJobsResponse response;
  Check(v1::PriorityService::NewStub(Connect(kAddress))->UpdateJobs(&context, request, &response));
}

// `proof`: of kGreedyUser.
void BeGreedy(const char* proof) {
  const GreedyCaller greedy(
      {.address = kAddress, .http_port = kHttpPort, .user = kGreedyUser, .proof = proof});
  AwaitEndOfInput();
  std::fprintf(stderr, "the greedy caller: %lld calls served, %lld refused\n",
               static_cast<long long>(greedy.served()), static_cast<long long>(greedy.refused()));
  if (greedy.refused() == 0) Die("no call of the greedy caller was refused");
}

std::vector<double> MillisecondsBeside(const std::string& arguments, HonestCallers* honest) {
  const OtherProcess other(arguments);
  absl::SleepFor(kGreedyStart);
  return honest->Milliseconds();
}

void PrintBoth(const std::string& name, const std::vector<double>& beside,
               const std::vector<double>& alone, double target) {
  for (const auto& [part, text] : {std::pair{0.5, "_p50_100"}, std::pair{0.99, "_p99_100"}}) {
    Print({absl::StrCat(name, text), Quantile(beside, part), Quantile(alone, part), target, "ms"});
  }
}

// `parameters`: of the auth file, beside how callers are proved.
void Measure(const char* binary, const std::string& parameters, const std::string& name,
             double target) {
  const Proofs proofs;
  proofs.Write("greedy.conf", absl::StrCat("AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=",
                                           proofs.Path("jwt.key"), "\n", parameters));
  const Priorityd server(binary, kAddress,
                         {"--auth_file=" + proofs.Path("greedy.conf"),
                          absl::StrCat("--http_listen=127.0.0.1:", kHttpPort)},
                         proofs.Path("log"));
  FillQueue(proofs.TokenOf("root"));
  HonestCallers honest(proofs);
  honest.Milliseconds();  // To warm up.
  const std::vector<double> alone = honest.Milliseconds();
  const std::vector<double> beside_burner = MillisecondsBeside(kBurn, &honest);
  const std::vector<double> beside_greedy =
      MillisecondsBeside(absl::StrCat(kBeGreedy, " '", proofs.TokenOf(kGreedyUser), "'"), &honest);
  PrintBoth(absl::StrCat(name, "_cpus_in_use"), beside_burner, alone, 0);
  PrintBoth(name, beside_greedy, alone, target);
}

void Run(const char* binary) {
  Measure(binary, "SlurmctldParameters=rl_enable\n", "boundary_greedy_rank", 2);
  Measure(binary, "", "boundary_greedy_without_rates_rank", 0);
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  using namespace priorityd::bench;
  const std::string first = argc > 1 ? argv[1] : "";
  const bool is_other = first == kBurn || first == kBeGreedy;
  if (argc != (first == kBeGreedy ? 3 : 2)) Die("usage: boundary_greedy_bench PRIORITYD");
  if (!is_other) return Run(argv[1]), 0;
  TakeLowestPriority();
  first == kBurn ? Burn(std::thread::hardware_concurrency()) : BeGreedy(argv[2]);
}
