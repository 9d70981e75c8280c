// RankJobs with the queue in the request, over loopback, beside an echo RPC that
// carries the same request and the same answer. Prints one JSON line per size.
//
// usage: inline_bench PRIORITYD [JOBS ...]      (default: 1000 10000 100000)
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace {

using priority::v1::AdminService;
using priority::v1::ImportRequest;
using priority::v1::ImportResponse;
using priority::v1::Job;
using priority::v1::PriorityService;
using priority::v1::RankJobsRequest;
using priority::v1::RankJobsResponse;

constexpr int kAccounts = 100;
constexpr int kUsersPerAccount = 50;
constexpr int kRounds = 9;
constexpr double kTarget = 2;
constexpr int kMaxMessageBytes = 256 << 20;
constexpr char kAddress[] = "127.0.0.1:17499";

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "inline_bench: %s\n", why.c_str());
  std::exit(1);
}

void Check(const grpc::Status& status) {
  if (!status.ok()) Die(status.error_message());
}

// A priorityd of its own on an empty data_dir, stopped and removed at the end.
class Priorityd {
 public:
  explicit Priorityd(const char* binary) {
    char folder[] = "/tmp/inline_bench.XXXXXX";
    if (mkdtemp(folder) == nullptr) Die("mkdtemp failed");
    chmod(folder, 0755);  // PostgreSQL may run as another user.
    data_dir_ = folder;
    pid_ = fork();
    if (pid_ == 0) {
      const std::string listen = absl::StrCat("--listen=", kAddress);
      const std::string data_dir = absl::StrCat("--data_dir=", data_dir_);
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(126);
      if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
      execl(binary, binary, listen.c_str(), data_dir.c_str(), nullptr);
      _exit(127);
    }
  }
  ~Priorityd() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(data_dir_);
  }

 private:
  std::string data_dir_;
  pid_t pid_;
};

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

// A site of 100 accounts with 50 users each, four partitions and weights for
// every factor.
ImportRequest Site() {
  ImportRequest request;
  auto* conf = request.add_files();
  conf->set_name("slurm.conf");
  conf->set_kind(priority::v1::FILE_KIND_SLURM_CONF);
  conf->set_content(
      "ClusterName=bench\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n"
      "PriorityWeightJobSize=1000\nPriorityWeightPartition=500\nPriorityWeightAssoc=200\n"
      "PriorityWeightTRES=CPU=1000,Mem=2000\nNodeName=n[1-400] CPUs=64 RealMemory=256000\n"
      "PartitionName=p1 Nodes=n[1-400] Default=YES TRESBillingWeights=CPU=1.0,Mem=0.25G\n"
      "PartitionName=p2 Nodes=n[1-200] PriorityTier=2\n"
      "PartitionName=p3 Nodes=n[201-400] PriorityJobFactor=10\n"
      "PartitionName=p4 Nodes=n[1-100] PriorityJobFactor=20\n");
  auto* dump = request.add_files();
  dump->set_name("dump");
  dump->set_kind(priority::v1::FILE_KIND_SACCTMGR_DUMP);
  std::string* text = dump->mutable_content();
  *text = "Cluster - 'bench':Fairshare=1:QOS='normal'\nParent - 'root'\n";
  for (int a = 0; a < kAccounts; ++a) {
    absl::StrAppend(text, "Account - 'a", a, "':Fairshare=", 1 + a % 7, "\n");
  }
  for (int a = 0; a < kAccounts; ++a) {
    absl::StrAppend(text, "Parent - 'a", a, "'\n");
    for (int u = 0; u < kUsersPerAccount; ++u) {
      absl::StrAppend(text, "User - 'u", a, "_", u, "':DefaultAccount='a", a, "':Fairshare=1\n");
    }
  }
  return request;
}

RankJobsRequest Queue(int size) {
  std::mt19937 random(7);
  RankJobsRequest request;
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  for (int i = 0; i < size; ++i) {
    Job* job = request.mutable_jobs()->add_jobs();
    const int account = random() % kAccounts;
    job->set_job_id(absl::StrCat(1000000 + i));
    job->set_user(absl::StrCat("u", account, "_", random() % kUsersPerAccount));
    job->set_account(absl::StrCat("a", account));
    job->add_partitions(absl::StrCat("p", 1 + random() % 4));
    job->set_nodes(1 + random() % 16);
    job->set_cpus(job->nodes() * 64);
    job->mutable_submit_time()->set_seconds(now - random() % 600000);
    job->mutable_time_limit()->set_seconds(60 * (1 + random() % 2000));
    (*job->mutable_tres())["cpu"] = job->cpus();
    (*job->mutable_tres())["mem"] = 1000 * job->cpus();
  }
  return request;
}

// Answers every RankJobs with the same answer, parsed request in, serialized
// answer out, and nothing else: the answer is not even copied.
class Echo final : public PriorityService::CallbackService,
                   public grpc::MessageAllocator<RankJobsRequest, RankJobsResponse> {
 public:
  Echo() { SetMessageAllocatorFor_RankJobs(this); }

  RankJobsResponse answer;

 private:
  struct Messages final : grpc::MessageHolder<RankJobsRequest, RankJobsResponse> {
    explicit Messages(RankJobsResponse* answer) {
      set_request(&parsed);
      set_response(answer);
    }
    void Release() override { delete this; }
    RankJobsRequest parsed;
  };

  grpc::MessageHolder<RankJobsRequest, RankJobsResponse>* AllocateMessages() override {
    return new Messages(&answer);
  }

  grpc::ServerUnaryReactor* RankJobs(grpc::CallbackServerContext* context, const RankJobsRequest*,
                                     RankJobsResponse*) override {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

double MillisecondsOf(PriorityService::Stub& stub, const RankJobsRequest& request,
                      RankJobsResponse* response) {
  grpc::ClientContext context;
  const absl::Time start = absl::Now();
  Check(stub.RankJobs(&context, request, response));
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void Measure(PriorityService::Stub& priorityd, PriorityService::Stub& echo_stub, Echo* echo,
             int jobs) {
  const RankJobsRequest request = Queue(jobs);
  MillisecondsOf(priorityd, request, &echo->answer);
  if (echo->answer.ranked_size() != jobs) {
    Die(absl::StrCat("only ", echo->answer.ranked_size(), " of ", jobs, " jobs were ranked"));
  }
  std::vector<double> values, references;
  for (int round = 0; round < kRounds; ++round) {
    RankJobsResponse response;
    values.push_back(MillisecondsOf(priorityd, request, &response));
    RankJobsResponse copy;
    references.push_back(MillisecondsOf(echo_stub, request, &copy));
  }
  const double value = Median(values), reference = Median(references);
  absl::PrintF(
      "{\"name\":\"inline_rank_jobs_%d\",\"value\":%.3f,\"reference\":%.3f,\"ratio\":%.3f,"
      "\"target\":%g,\"higher_is_better\":false,\"unit\":\"ms\"}\n",
      jobs, value, reference, value / reference, kTarget);
  std::fflush(stdout);
}

void Import(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
  ImportResponse response;
  Check(AdminService::NewStub(channel)->Import(&context, Site(), &response));
  grpc::ClientContext recalculate;
  priority::v1::Snapshot snapshot;
  Check(AdminService::NewStub(channel)->Recalculate(&recalculate, {}, &snapshot));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) Die("usage: inline_bench PRIORITYD [JOBS ...]");
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) {
    int size = 0;
    if (!absl::SimpleAtoi(argv[i], &size) || size < 1) Die("JOBS: want a positive number");
    sizes.push_back(size);
  }
  if (sizes.empty()) sizes = {1000, 10000, 100000};

  Priorityd server(argv[1]);
  auto channel = Connect(kAddress);
  Import(channel);

  Echo echo;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.RegisterService(&echo);
  auto echo_server = builder.BuildAndStart();
  auto echo_stub = PriorityService::NewStub(Connect(absl::StrCat("127.0.0.1:", port)));
  auto stub = PriorityService::NewStub(channel);
  for (int size : sizes) Measure(*stub, *echo_stub, &echo, size);
  echo_server->Shutdown();
}
