// Administration by verbs: 10,000 associations by one Import, by one CreateAssociations and by
// 10,000 calls; and one modify at 100,000 associations: seconds until it is in force, and bytes of
// WAL that it takes. Prints one JSON line per figure.
//
// usage: administration_bench PRIORITYD
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "storage/database.h"
#include "storage/embedded_postgres/embedded_postgres.h"
#include "tests/bench/bench_site.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMany = 10'000;
constexpr int kMost = 100'000;
constexpr int kPerAccount = 100;
constexpr char kListen[] = "127.0.0.1:16819";

void CheckStatus(const absl::Status& status) {
  if (!status.ok()) Die(status.ToString());
}

int64_t DecodeNumber(storage::RowReader& row) {
  int64_t number = 0;
  row.Read(&number);
  return number;
}

std::string AccountOf(int i) { return absl::StrCat("account", i / kPerAccount); }

void Print(const std::string& name, double value, double reference, double target,
           const char* unit) {
  absl::PrintF(
      "{\"name\":\"administration_%s\",\"value\":%.3f,\"reference\":%.3f,\"ratio\":%.4f,"
      "\"target\":%g,\"higher_is_better\":false,\"unit\":\"%s\"}\n",
      name, value, reference, value / reference, target, unit);
}

class Administration {
 public:
  explicit Administration(const std::string& url)
      : database_({.url = url}), stub_(v1::AdminService::NewStub(Connect(kListen))) {}

  void Measure() {
    MakeCluster("load", 0);
    MakeCluster("one", 0);
    MakeCluster("single", 0);
    const double load = Seconds([&] { ImportTree("load", kMany); });
    Print("load_10000", load, load, 1, "s");
    Print("one_call_10000", Seconds([&] { CreateAtOnce("one"); }), load, 1.5, "s");
    Print("single_calls_10000", Seconds([&] { CreateSingly("single"); }), 60, 1, "s");
    MeasureOne();
  }

 private:
  template <typename Work>
  static double Seconds(Work work) {
    const absl::Time begin = absl::Now();
    work();
    return absl::ToDoubleSeconds(absl::Now() - begin);
  }

  template <typename Method, typename Request, typename Response>
  void Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    Check((stub_.get()->*method)(&context, request, response));
  }

  int64_t WalBytes() {
    auto bytes = database_.Read([](storage::Transaction& transaction) {
      return transaction.QueryOne(
          DecodeNumber, std::string("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"));
    });
    CheckStatus(bytes.status());
    return *bytes;
  }

  static void AddFile(v1::FileKind kind, std::string content, v1::ImportRequest* request) {
    v1::File* file = request->add_files();
    file->set_name("file");
    file->set_kind(kind);
    file->set_content(std::move(content));
  }

  void MakeCluster(const std::string& cluster, int associations) {
    v1::ImportRequest request;
    request.set_cluster(cluster);
    AddFile(v1::FILE_KIND_SLURM_CONF,
            "PriorityType=priority/multifactor\nClock=manual\nPriorityWeightFairshare=1000\n"
            "NodeName=n[1-10] CPUs=10\nPartitionName=main Nodes=ALL Default=YES\n",
            &request);
    v1::ImportResponse response;
    Call(&v1::AdminService::Stub::Import, request, &response);
    if (associations > 0) ImportTree(cluster, associations);
  }

  void ImportTree(const std::string& cluster, int associations) {
    std::string dump = absl::StrCat("Cluster - '", cluster, "':Fairshare=1\n");
    for (int i = 0; i < associations; ++i) {
      if (i % kPerAccount == 0) {
        absl::StrAppend(&dump, "Parent - 'root'\nAccount - '", AccountOf(i),
                        "':Fairshare=1\nParent - '", AccountOf(i), "'\n");
      } else {
        absl::StrAppend(&dump, "User - 'user", i, "':DefaultAccount='", AccountOf(i),
                        "':Fairshare=1\n");
      }
    }
    v1::ImportRequest request;
    request.set_cluster(cluster);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, std::move(dump), &request);
    v1::ImportResponse response;
    Call(&v1::AdminService::Stub::Import, request, &response);
  }

  static void AddTo(int i, v1::CreateAssociationsRequest* request) {
    v1::NewAssociation* wanted = request->add_associations();
    wanted->set_account(AccountOf(i));
    if (i % kPerAccount != 0) wanted->set_user(absl::StrCat("user", i));
  }

  void CreateAtOnce(const std::string& cluster) {
    v1::CreateAssociationsRequest request;
    request.set_cluster(cluster);
    for (int i = 0; i < kMany; ++i) AddTo(i, &request);
    v1::ChangeResponse response;
    Call(&v1::AdminService::Stub::CreateAssociations, request, &response);
  }

  void CreateSingly(const std::string& cluster) {
    for (int i = 0; i < kMany; ++i) {
      v1::CreateAssociationsRequest request;
      request.set_cluster(cluster);
      AddTo(i, &request);
      v1::ChangeResponse response;
      Call(&v1::AdminService::Stub::CreateAssociations, request, &response);
    }
  }

  void Recalculate(const std::string& cluster) {
    v1::RecalculateRequest request;
    request.set_cluster(cluster);
    v1::Snapshot snapshot;
    Call(&v1::AdminService::Stub::Recalculate, request, &snapshot);
  }

  void ModifyOne(const std::string& cluster, int i, int shares) {
    v1::UpdateAssociationsRequest request;
    request.set_cluster(cluster);
    request.mutable_where()->add_users(absl::StrCat("user", i));
    v1::Setting* setting = request.add_settings();
    setting->set_name("Fairshare");
    setting->set_value(absl::StrCat(shares));
    v1::ChangeResponse response;
    Call(&v1::AdminService::Stub::UpdateAssociations, request, &response);
    if (response.updated() != 1) Die("one association was to change");
  }

  // The median of five.
  void MeasureOne() {
    MakeCluster("large", kMost);
    Recalculate("large");
    std::vector<double> calls;
    std::vector<double> totals;
    std::vector<double> written;
    for (int i = 1; i <= 5; ++i) {
      const int64_t before = WalBytes();
      calls.push_back(Seconds([&] { ModifyOne("large", 1000 * i + 1, 7); }));
      written.push_back(static_cast<double>(WalBytes() - before));
      totals.push_back(calls.back() + Seconds([&] { Recalculate("large"); }));
    }
    for (auto* figures : {&calls, &totals, &written}) std::sort(figures->begin(), figures->end());
    Print("modify_one_of_100000", calls[2], 1, 0.5, "s");
    Print("in_force_one_of_100000", totals[2], 1.5, 1, "s");
    Print("wal_one_of_100000", written[2] / 1024, 64, 1, "KiB");
  }

  storage::Database database_;
  std::unique_ptr<v1::AdminService::Stub> stub_;
};

void Run(const char* priorityd) {
  const TemporaryFolder folder;
  auto postgres = storage::EmbeddedPostgres::Start({.data_dir = folder.path() + "/data"});
  CheckStatus(postgres.status());
  const std::string url = (*postgres)->Url();
  const pid_t server = fork();
  if (server == 0) {
    execl(priorityd, priorityd, absl::StrCat("--database_url=", url).c_str(),
          absl::StrCat("--listen=", kListen).c_str(), "--history_interval=0", nullptr);
    _exit(127);
  }
  Administration(url).Measure();
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: administration_bench PRIORITYD\n");
    return 1;
  }
  // Standard output is for the figures.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bench"));
  priorityd::bench::Run(argv[1]);
  return 0;
}
