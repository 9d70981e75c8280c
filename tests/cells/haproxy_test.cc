// deploy/cells/haproxy.cfg, by Debian's HAProxy in front of two cells.
#include <grp.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/usage_stream.h"
#include "priority/v1/priority_service.grpc.pb.h"
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

class CellsHaproxyTest : public ::testing::Test {
 protected:
  CellsHaproxyTest() : port_(storage::FreePort()) {
    const std::string& folder = folder_.path();
    const passwd* user = getpwuid(geteuid());
    const group* own = getgrgid(getegid());
    std::ofstream(folder + "/map") << "elf b\nZo%C3%AB b\n";
    std::ofstream cells(folder + "/cells.cfg");
    for (const auto& [name, port] : {std::pair("a", a_.port()), std::pair("b", b_.port())}) {
      cells << "backend " << name << "\n  mode http\n  timeout connect 5s\n  timeout server 1m\n"
            << "  http-reuse always\n  server one 127.0.0.1:" << port << " proto h2\n";
    }
    cells.close();
    const std::vector<std::string> command = {
        "/usr/bin/env",
        absl::StrCat("PRIORITYD_PROXY_SECRET=", kHaproxySecret),
        absl::StrCat("PRIORITYD_PROXY_LISTEN=127.0.0.1:", port_),
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

  NamedCell a_{"a"}, b_{"b"};
  const TemporaryFolder folder_{"/tmp"};  // The path of a socket is short.
  const int port_;
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

TEST_F(CellsHaproxyTest, AClusterThatMovedIsFoundByTheNextAttempt) {
  EXPECT_EQ(CellOf(Through("orc")), "a");
  a_.MoveAway();
  const auto refused = Through("orc", /*attempts=*/1).ListShares({});
  EXPECT_TRUE(absl::IsUnavailable(refused.status())) << refused.status();
  EXPECT_EQ(CellOf(Through("orc", /*attempts=*/1)), "b");
  // Others stay.
  EXPECT_EQ(CellOf(Through("troll")), "a");
}

}  // namespace
}  // namespace priorityd
