// Administration by verbs: 10,000 associations by one Import, by one CreateAssociations and by
// 10,000 calls, held against what PostgreSQL takes to write such rows; and one modify at 100,000
// associations: seconds until a list of shares has it, and bytes of WAL that it takes. Prints one
// JSON line per figure.
//
// usage: administration_bench PRIORITYD [THOUSANDS [PART...]]
//   THOUSANDS of associations, 10 times as many for `modify`; PART: many, singly or modify; default
//   all.
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/database/database.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

namespace v1 = ::priority::v1;

constexpr int kTimes = 10;
constexpr int kPerAccount = 100;
constexpr char kListen[] = "127.0.0.1:16819";

// Tables of the columns of the real ones, but for what guards them.
constexpr char kLikeThem[] =
    "CREATE TABLE like_association (LIKE priorityd.association INCLUDING ALL); "
    "CREATE TABLE like_revision (cluster_id integer PRIMARY KEY, revision bigint); "
    "INSERT INTO like_revision VALUES (1, 1); CREATE TABLE like_audit (id bigserial PRIMARY KEY, "
    "at timestamptz DEFAULT now(), principal text, action text, object text, after text)";
// So many ($1) associations whose ids begin with $2.
constexpr char kInsert[] =
    "INSERT INTO like_association (id, cluster_id, parent_id, account, user_name, raw_shares) "
    "SELECT $2::bigint + i, 1, 1 + ($2::bigint + i) / 100, 'account' || ($2::bigint + i) / 100, "
    "'user' || $2::bigint + i, 1 FROM generate_series(1, $1::bigint) i";
constexpr char kRevise[] = "UPDATE like_revision SET revision = revision + 1";
constexpr char kNote[] =
    "INSERT INTO like_audit (principal, action, object, after) VALUES ('bench', "
    "'CreateAssociations', 'user ann account chem', 'Fairshare=1 Parent=chem')";

std::string AccountOf(int i) { return absl::StrCat("account", i / kPerAccount); }

class Administration {
 public:
  Administration(const std::string& url, int many)
      : database_({.url = url}),
        many_(many),
        admin_(v1::AdminService::NewStub(Connect(kListen))),
        priority_(v1::PriorityService::NewStub(Connect(kListen))) {}

  // Each part has clusters of its own.
  void Measure(const std::set<std::string>& parts) {
    AwaitOpen(Connect(kListen));
    MakeCluster("first");  // The server is up, and its schema made.
    RunScript(database_, kLikeThem);
    if (parts.contains("many")) MeasureMany();
    if (parts.contains("singly")) MeasureSingly();
    if (parts.contains("modify")) MeasureOne();
  }

 private:
  template <typename Work>
  static double Seconds(Work work) {
    const absl::Time begin = absl::Now();
    work();
    return absl::ToDoubleSeconds(absl::Now() - begin);
  }

  static std::string Name(const char* what, int associations) {
    return absl::StrCat("administration_", what, "_", associations);
  }

  template <typename Method, typename Request, typename Response>
  void Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(2));
    Check((admin_.get()->*method)(&context, request, response));
  }

  // What it takes at least: the rows, the revision and a line of the audit, durable.
  void Reference(int64_t first, int64_t associations) {
    Check(database_.Write([&](storage::Transaction& transaction) {
      absl::Status status = transaction.Execute(kRevise).status();
      if (status.ok()) status = transaction.Execute(kInsert, {associations, first}).status();
      if (status.ok()) status = transaction.Execute(kNote).status();
      return status;
    }));
  }

  int64_t WalBytes() {
    auto bytes = database_.Read([](storage::Transaction& transaction) {
      return transaction.QueryOne(
          storage::OnlyColumn<int64_t>,
          std::string("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"));
    });
    Check(bytes.status());
    return *bytes;
  }

  static void AddFile(v1::FileKind kind, std::string content, v1::ImportRequest* request) {
    v1::File* file = request->add_files();
    file->set_name("file");
    file->set_kind(kind);
    file->set_content(std::move(content));
  }

  // On the real clock, so that what changes is recalculated soon.
  void MakeCluster(const std::string& cluster) {
    v1::ImportRequest request;
    request.set_cluster(cluster);
    AddFile(v1::FILE_KIND_SLURM_CONF,
            "PriorityType=priority/multifactor\nPriorityWeightFairshare=1000\n"
            "NodeName=n[1-10] CPUs=10\nPartitionName=main Nodes=ALL Default=YES\n",
            &request);
    v1::ImportResponse response;
    Call(&v1::AdminService::Stub::Import, request, &response);
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
    for (int i = 0; i < many_; ++i) AddTo(i, &request);
    v1::ChangeResponse response;
    Call(&v1::AdminService::Stub::CreateAssociations, request, &response);
  }

  void CreateSingly(const std::string& cluster) {
    for (int i = 0; i < many_; ++i) {
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

  // Until a list of the user's shares has them.
  void AwaitShares(const std::string& cluster, int i, uint32_t shares) {
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    request.add_users(absl::StrCat("user", i));
    for (;;) {
      grpc::ClientContext context;
      v1::ListSharesResponse response;
      Check(priority_->ListShares(&context, request, &response));
      for (const v1::AssociationShare& row : response.shares()) {
        if (!row.user().empty() && row.raw_shares() == shares) return;
      }
      absl::SleepFor(absl::Milliseconds(5));
    }
  }

  void MeasureMany() {
    for (const char* cluster : {"load", "one"}) MakeCluster(cluster);
    const double load = Seconds([&] { ImportTree("load", many_); });
    const double insert = Seconds([&] { Reference(1, many_); });
    Print({Name("load", many_), load, insert, 10, "s"});
    Print({Name("one_call", many_), Seconds([&] { CreateAtOnce("one"); }), insert, 10, "s"});
  }

  void MeasureSingly() {
    MakeCluster("single");
    const double singly = Seconds([&] { CreateSingly("single"); });
    const double bare = Seconds([&] {
      for (int i = 0; i < many_; ++i) Reference(many_ + i + 1, 1);
    });
    Print({Name("single_calls", many_), singly, bare, 5, "s"});
  }

  // The median of five; an operator does not type so fast that they would share a recalculation.
  void MeasureOne() {
    const int most = many_ * kTimes;
    MakeCluster("large");
    ImportTree("large", most);
    Recalculate("large");
    std::vector<double> calls;
    std::vector<double> totals;
    std::vector<double> written;
    for (int i = 1; i <= 5; ++i) {
      absl::SleepFor(absl::Seconds(2));
      const int user = most / 10 * i + 1;
      const int64_t before = WalBytes();
      calls.push_back(Seconds([&] { ModifyOne("large", user, 7); }));
      totals.push_back(calls.back() + Seconds([&] { AwaitShares("large", user, 7); }));
      written.push_back(static_cast<double>(WalBytes() - before));
    }
    const double bare = Seconds([&] { Reference(kTimes * most, 1); });
    Print({Name("modify_one_of", most), Quantile(calls, 0.5), bare, 10, "s"});
    Print({Name("in_force_one_of", most), Quantile(totals, 0.5), 1.5, 1, "s"});
    Print({Name("wal_one_of", most), Quantile(written, 0.5) / 1024, 64, 1, "KiB"});
  }

  storage::Database database_;
  const int many_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
};

void Run(const char* priorityd, const std::string& url, int many,
         const std::set<std::string>& parts) {
  const pid_t server = fork();
  if (server == 0) {
    execl(priorityd, priorityd, absl::StrCat("--database_url=", url).c_str(),
          absl::StrCat("--listen=", kListen).c_str(), "--history_interval=0", nullptr);
    _exit(127);
  }
  Administration(url, many).Measure(parts);
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  const std::set<std::string> all = {"many", "singly", "modify"};
  const std::set<std::string> named(argv + std::min(argc, 3), argv + argc);
  const int thousands = argc > 2 ? std::atoi(argv[2]) : 10;
  const bool are_known = std::includes(all.begin(), all.end(), named.begin(), named.end());
  if (argc < 2 || thousands < 1 || !are_known) {
    std::fprintf(stderr,
                 "usage: administration_bench PRIORITYD [THOUSANDS [many|singly|modify...]]\n");
    return 1;
  }
  priorityd::bench::WithPostgres([&](const std::string& url) {
    priorityd::bench::Run(argv[1], url, thousands * 1000, named.empty() ? all : named);
  });
  return 0;
}
