// deploy/cells/haproxy.cfg, by Debian's HAProxy in front of two cells: gRPC, and the page.
#include <grp.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <pwd.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/usage_stream.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/await.h"
#include "tests/free_port.h"
#include "tests/keepalive.h"
#include "tests/storage/postgres_server.h"
#include "tests/temporary_folder.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr char kHaproxySecret[] = "0123456789abcdef0123456789abcdef";

// Answers with its name; once `moved_to` is set, as a cell that the cluster has left.
class NamedCell : public v1::PriorityService::Service {
 public:
  explicit NamedCell(std::string name) : name_(std::move(name)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~NamedCell() override { server_->Shutdown(); }

  grpc::Status ListShares(grpc::ServerContext* context, const v1::ListSharesRequest* request,
                          v1::ListSharesResponse* response) override {
    const auto& metadata = context->client_metadata();
    secret_arrived_ = metadata.find("priorityd-proxy-secret") != metadata.end();
    if (moved_ && request->cluster() == "orc") {
      context->AddInitialMetadata("priorityd-moved-to", "b");
      context->AddInitialMetadata("priorityd-moved-cluster", "orc");
      return {grpc::StatusCode::UNAVAILABLE, "moved"};
    }
    response->add_shares()->set_account(name_);
    return grpc::Status::OK;
  }
  grpc::Status StreamUsage(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::StreamUsageResponse, v1::StreamUsageRequest>* stream) override {
    v1::StreamUsageRequest request;
    while (stream->Read(&request)) {
      ++batches_;
      v1::StreamUsageResponse response;
      response.set_batch_id(request.batch_id());
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

  int port() const { return port_; }
  int batches() const { return batches_; }
  bool secret_arrived() const { return secret_arrived_; }
  void MoveAway() { moved_ = true; }

 private:
  const std::string name_;
  int port_ = 0;
  std::atomic<bool> moved_ = false, secret_arrived_ = false;
  std::atomic<int> batches_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// The HTTP side of a cell: answers with its name, or as one that cluster orc has left.
class NamedPage {
 public:
  explicit NamedPage(std::string name) : name_(std::move(name)) {
    server_.Get("/readyz", [](const httplib::Request&, httplib::Response&) {});
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      named_cluster_ = request.has_header("priorityd-cluster");
      if (moved_) {
        response.status = 503;
        response.set_header("priorityd-moved-to", "b");
        response.set_header("priorityd-moved-cluster", "orc");
      }
      response.set_content(name_, "text/plain");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    EXPECT_TRUE(Await([this] { return server_.is_running(); }));
  }
  ~NamedPage() {
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }
  bool named_cluster() const { return named_cluster_; }
  void MoveAway() { moved_ = true; }

 private:
  const std::string name_;
  httplib::Server server_;
  int port_ = 0;
  std::atomic<bool> moved_ = false, named_cluster_ = false;
  std::thread thread_;
};

class CellsHaproxyTest : public ::testing::Test {
 protected:
  CellsHaproxyTest() : port_(FreePort()), page_port_(FreePort()) {
    const std::string& folder = folder_.path();
    const passwd* user = getpwuid(geteuid());
    const group* own = getgrgid(getegid());
    std::ofstream(folder + "/map") << "elf b\nZo%C3%AB b\n";
    std::ofstream(folder + "/cells.cfg") << Cells();
    const std::vector<std::string> command = {
        "/usr/bin/env",
        absl::StrCat("PRIORITYD_PROXY_SECRET=", kHaproxySecret),
        absl::StrCat("PRIORITYD_PROXY_LISTEN=127.0.0.1:", port_),
        absl::StrCat("PRIORITYD_PAGE_LISTEN=127.0.0.1:", page_port_),
        absl::StrCat("PRIORITYD_PROXY_USER=", user == nullptr ? "root" : user->pw_name),
        absl::StrCat("PRIORITYD_PROXY_GROUP=", own == nullptr ? "root" : own->gr_name),
        absl::StrCat("PRIORITYD_CELLS_MAP=", folder, "/map"),
        absl::StrCat("PRIORITYD_CELLS_ADMIN=", folder, "/admin.sock"),
        "/usr/sbin/haproxy",
        "-db",
        "-f",
        std::filesystem::absolute("deploy/cells/haproxy.cfg"),
        "-f",
        folder + "/cells.cfg"};
    haproxy_ = std::make_unique<storage::BackgroundProgram>(command, folder + "/log");
    storage::AwaitListening(port_);
    storage::AwaitListening(page_port_);
  }

  // deploy/cells/cells.cfg, both replicas of a cell being the one on this host.
  std::string Cells() const {
    std::ifstream file("deploy/cells/cells.cfg");
    const std::string content{std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>()};
    const auto local = [](int port) { return absl::StrCat("127.0.0.1:", port); };
    return absl::StrReplaceAll(content, {{"a1.example:7411", local(a_.port())},
                                         {"a2.example:7411", local(a_.port())},
                                         {"b1.example:7411", local(b_.port())},
                                         {"b2.example:7411", local(b_.port())},
                                         {"a1.example:9411", local(page_a_.port())},
                                         {"a2.example:9411", local(page_a_.port())},
                                         {"b1.example:9411", local(page_b_.port())},
                                         {"b2.example:9411", local(page_b_.port())},
                                         // A check may take a while under load.
                                         {"inter 1s fall 2", "inter 1m fall 2"}});
  }

  client::PriorityClient Through(const std::string& cluster, int attempts = 4) const {
    client::ConnectOptions options;
    options.address = absl::StrCat("127.0.0.1:", port_);
    options.cluster = cluster;
    options.retry.max_attempts = attempts;
    return client::PriorityClient(std::move(options));
  }
  // The cell that answers a call of this cluster.
  static std::string CellOf(const client::PriorityClient& client) {
    const auto shares = client.ListShares({});
    EXPECT_TRUE(shares.ok()) << shares.status();
    return shares.ok() && shares->shares_size() == 1 ? shares->shares(0).account() : "";
  }

  // What the address of the page answers; `cluster` is the header, empty = none.
  httplib::Result Page(const std::string& path, const std::string& cluster = "") const {
    httplib::Client client("127.0.0.1", page_port_);
    client.set_read_timeout(60);
    httplib::Headers headers;
    if (!cluster.empty()) headers.emplace("priorityd-cluster", cluster);
    return client.Get(path, headers);
  }
  std::string CellOfPage(const std::string& path, const std::string& cluster = "") const {
    const httplib::Result page = Page(path, cluster);
    EXPECT_TRUE(page) << path;
    return page && page->status == 200 ? page->body : "";
  }

  NamedCell a_{"a"}, b_{"b"};
  NamedPage page_a_{"a"}, page_b_{"b"};
  const TemporaryFolder folder_{"/tmp"};  // The path of a socket is short.
  const int port_, page_port_;
  std::unique_ptr<storage::BackgroundProgram> haproxy_;
};

TEST_F(CellsHaproxyTest, ACallReachesTheCellOfItsCluster) {
  EXPECT_EQ(CellOf(Through("elf")), "b");
  EXPECT_EQ(CellOf(Through("Zo\xc3\xab")), "b");
  // Not in the map, and none.
  EXPECT_EQ(CellOf(Through("orc")), "a");
  EXPECT_EQ(CellOf(Through("")), "a");
  EXPECT_TRUE(a_.secret_arrived());
  const auto elf = Through("elf");
  client::UsageStream stream(&elf, [](const v1::RecordUsageResponse&) {});
  ASSERT_TRUE(stream.Send({}).ok());
  ASSERT_TRUE(stream.Flush().ok());
  EXPECT_EQ(b_.batches(), 1);
  EXPECT_EQ(a_.batches(), 0);
}

// Of a watch that is silent, nothing else would ask whether the cell's host is there.
TEST_F(CellsHaproxyTest, ACellsHostIsAskedWhetherItIsThereWithin15Seconds) {
  EXPECT_EQ(CellOf(Through("orc")), "a");
  EXPECT_EQ(CellOfPage("/"), "a");
  for (const int port : {a_.port(), page_a_.port()}) {
    EXPECT_TRUE(Await([&] {
      const auto next = NextKeepaliveTo(port);
      return next.has_value() && *next <= absl::Seconds(15);
    }));
  }
}

TEST_F(CellsHaproxyTest, AClusterThatMovedIsFoundByTheNextAttempt) {
  EXPECT_EQ(CellOf(Through("orc")), "a");
  a_.MoveAway();
  const auto refused = Through("orc", /*attempts=*/1).ListShares({});
  EXPECT_TRUE(absl::IsUnavailable(refused.status())) << refused.status();
  EXPECT_EQ(CellOf(Through("orc", /*attempts=*/1)), "b");
  // Others stay.
  EXPECT_EQ(CellOf(Through("troll")), "a");
}

TEST_F(CellsHaproxyTest, ThePageAndJsonReachTheCellOfTheirCluster) {
  EXPECT_EQ(CellOfPage("/"), "a");
  EXPECT_EQ(CellOfPage("/v1/AdminService/ListClusters", "elf"), "b");
  EXPECT_FALSE(page_b_.named_cluster());
  EXPECT_EQ(CellOfPage("/v1/AdminService/ListClusters", "Zo%C3%AB"), "b");
  EXPECT_EQ(CellOfPage("/v1/AdminService/ListClusters", "orc"), "a");
  // Clients without the header, however they encode the name.
  EXPECT_EQ(CellOfPage("/v1/PriorityService/ListShares?pageSize=1&cluster=elf"), "b");
  EXPECT_EQ(CellOfPage("/slurm/v0.0.42/shares?cluster=Zo%c3%ab"), "b");
  EXPECT_EQ(CellOfPage("/slurm/v0.0.42/shares?cluster=orc"), "a");
  for (const char* path : {"/metrics", "/healthz", "/readyz"}) {
    const httplib::Result page = Page(path);
    ASSERT_TRUE(page) << path;
    EXPECT_EQ(page->status, 404) << path;
  }
}

TEST_F(CellsHaproxyTest, TheNextRequestOfAPageFindsAClusterThatMoved) {
  EXPECT_EQ(CellOfPage("/v1/x", "orc"), "a");
  page_a_.MoveAway();
  const httplib::Result moved = Page("/v1/x", "orc");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->status, 503);
  EXPECT_EQ(CellOfPage("/v1/x", "orc"), "b");
  EXPECT_EQ(CellOfPage("/v1/x?cluster=orc"), "b");
  // So do calls of gRPC: the map is one.
  EXPECT_EQ(CellOf(Through("orc", /*attempts=*/1)), "b");
}

// A request that names one cluster for the load balancer and another one for the service.
TEST_F(CellsHaproxyTest, AClusterThatTheCellDoesNotMeanStays) {
  page_a_.MoveAway();  // It answers that orc has moved.
  const httplib::Result moved = Page("/v1/x", "troll");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->status, 503);
  EXPECT_EQ(CellOf(Through("troll", /*attempts=*/1)), "a");
  EXPECT_EQ(CellOf(Through("orc", /*attempts=*/1)), "a");
}

}  // namespace
}  // namespace priorityd
