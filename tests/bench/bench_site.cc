#include "tests/bench/bench_site.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"

namespace priorityd::bench {

using ::priority::v1::AdminService;
using ::priority::v1::ImportRequest;
using ::priority::v1::ImportResponse;
using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

namespace {

constexpr int kUpsertsAtOnce = 10'000;
constexpr int kMaxMessageBytes = 256 << 20;
constexpr char kAddress[] = "127.0.0.1:17499";

ImportRequest Site() {
  ImportRequest request;
  auto* conf = request.add_files();
  conf->set_name("slurm.conf");
  conf->set_kind(::priority::v1::FILE_KIND_SLURM_CONF);
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
  dump->set_kind(::priority::v1::FILE_KIND_SACCTMGR_DUMP);
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

grpc::ChannelArguments LargeMessages() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  return arguments;
}

}  // namespace

void Check(const grpc::Status& status) {
  if (!status.ok()) Die(status.error_message());
}

Priorityd::Priorityd(const char* binary, const std::string& listen,
                     const std::vector<std::string>& flags, const std::string& log) {
  std::vector<std::string> words = {binary, "--listen=" + listen, "--data_dir=" + data_dir()};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(126);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    execv(binary, arguments.data());
    _exit(127);
  }
}

Priorityd::~Priorityd() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

const char* Priorityd::address() { return kAddress; }

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), LargeMessages());
}

std::shared_ptr<grpc::Channel> ConnectAlone(const std::string& address) {
  grpc::ChannelArguments arguments = LargeMessages();
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

void AwaitOpen(const std::shared_ptr<grpc::Channel>& channel, const std::string& authorization) {
  const auto deadline = absl::ToChronoTime(absl::Now() + absl::Minutes(1));
  for (;;) {
    grpc::ClientContext context;
    if (!authorization.empty()) context.AddMetadata("authorization", authorization);
    context.set_wait_for_ready(true);
    context.set_deadline(deadline);
    ::priority::v1::GetStatusResponse response;
    const grpc::Status status = AdminService::NewStub(channel)->GetStatus(&context, {}, &response);
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return Check(status);
    absl::SleepFor(absl::Milliseconds(10));
  }
}

void ImportSite(const std::shared_ptr<grpc::Channel>& channel, const std::string& authorization) {
  AwaitOpen(channel, authorization);
  grpc::ClientContext context, recalculate;
  if (!authorization.empty()) {
    context.AddMetadata("authorization", authorization);
    recalculate.AddMetadata("authorization", authorization);
  }
  context.set_wait_for_ready(true);
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
  ImportResponse response;
  Check(AdminService::NewStub(channel)->Import(&context, Site(), &response));
  ::priority::v1::Snapshot snapshot;
  Check(AdminService::NewStub(channel)->Recalculate(&recalculate, {}, &snapshot));
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

void Update(PriorityService::Stub& stub, const UpdateJobsRequest& request,
            const std::string& authorization) {
  grpc::ClientContext context;
  if (!authorization.empty()) context.AddMetadata("authorization", authorization);
  context.set_wait_for_ready(true);
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
  UpdateJobsResponse response;
  Check(stub.UpdateJobs(&context, request, &response));
  for (const auto& result : response.upserts()) {
    if (result.outcome() == ::priority::v1::UPDATE_OUTCOME_UPSERTED) continue;
    Die(absl::StrCat("job ", result.job_id(), ": ", result.message()));
  }
}

void FillQueue(PriorityService::Stub& stub, int jobs, const std::string& authorization) {
  const RankJobsRequest queue = Queue(jobs);
  UpdateJobsRequest request;
  for (const Job& job : queue.jobs().jobs()) {
    *request.add_upserts() = job;
    if (request.upserts_size() < kUpsertsAtOnce) continue;
    Update(stub, request, authorization);
    request.Clear();
  }
  if (request.upserts_size() > 0) Update(stub, request, authorization);
}

std::vector<double> RankTop(PriorityService::Stub& stub, int times, absl::Duration pause,
                            const std::string& authorization) {
  RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(100);
  std::vector<double> milliseconds;
  for (int i = 0; i < times; ++i, absl::SleepFor(pause)) {
    grpc::ClientContext context;
    if (!authorization.empty()) context.AddMetadata("authorization", authorization);
    RankJobsResponse response;
    const absl::Time begin = absl::Now();
    Check(stub.RankJobs(&context, request, &response));
    milliseconds.push_back(absl::ToDoubleMilliseconds(absl::Now() - begin));
  }
  return milliseconds;
}

void RaiseFileLimit(rlim_t files) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < files) Die(absl::StrCat("at most ", limit.rlim_cur, " open files"));
}

}  // namespace priorityd::bench
