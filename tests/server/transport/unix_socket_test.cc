// A server on a Unix socket.
#include "server/transport/unix_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/server/service/secured_replica.h"
#include "tests/server/service/test_service.h"
#include "tests/temporary_folder.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

constexpr char kListSharesCall[] = "priority.v1.PriorityService/ListShares";

class UnixSocketTest : public testing::Test {
 protected:
  SecuredReplica::Options OnSocket(const std::string& more_settings = "") {
    SecuredReplica::Options options;
    options.more_settings = more_settings;
    options.server.listen = {"unix:" + path_};
    options.server.socket_access.mode = 0620;
    return options;
  }
  mode_t Mode() const {
    struct stat file = {};
    EXPECT_EQ(stat(path_.c_str(), &file), 0);
    return file.st_mode & 0777;
  }

  const TemporaryFolder folder_{"/tmp"};
  const std::string path_ = folder_.path() + "/socket";
};

TEST_F(UnixSocketTest, ItsFileHasTheModeThatWasAskedFor) {
  SecuredReplica service(OnSocket());
  EXPECT_EQ(service.address(), "unix:" + path_);
  EXPECT_EQ(Mode(), 0620);
  EXPECT_TRUE(service.Call(kListSharesCall, service.SlurmToken("amy")).ok());
}

TEST_F(UnixSocketTest, WhoMayOpenItHasTheRoleOfTheFileAndElseProvesWhoSheIs) {
  {
    SecuredReplica asks(OnSocket());
    EXPECT_EQ(asks.Call(kListSharesCall, "").error_code(), grpc::UNAUTHENTICATED);
  }
  SecuredReplica trusts(OnSocket("SocketRole=dashboard\n"));
  EXPECT_TRUE(trusts.Call(kListSharesCall, "").ok());
  EXPECT_EQ(trusts.Call("priority.v1.AdminService/RebuildUsage", "").error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_EQ(trusts.Call(kListSharesCall, "Bearer forged").error_code(), grpc::UNAUTHENTICATED);
}

TEST_F(UnixSocketTest, ASocketInUseIsNotTakenAndOneLeftBehindIs) {
  {
    SecuredReplica first(OnSocket());
    EXPECT_THAT(std::string(CheckUnused(path_).message()), HasSubstr("no other program"));
  }
  EXPECT_TRUE(CheckUnused(path_).ok());
  SecuredReplica second(OnSocket());
  EXPECT_TRUE(second.Call(kListSharesCall, second.SlurmToken("amy")).ok());
}

TEST_F(UnixSocketTest, AddressesOfSocketsAreDistinguishedFromOthers) {
  EXPECT_EQ(SocketPath("unix:/run/p/s"), "/run/p/s");
  EXPECT_EQ(SocketPath("unix:///run/p/s"), "/run/p/s");
  EXPECT_EQ(SocketPath("unix:relative"), "relative");
  EXPECT_EQ(SocketPath("127.0.0.1:7411"), "");
}

TEST_F(UnixSocketTest, AnUnknownGroupIsAnError) {
  SecuredReplica service(OnSocket());
  EXPECT_THAT(std::string(GrantAccess(path_, {0660, "no such group"}).message()),
              HasSubstr("--socket_group"));
}

}  // namespace
}  // namespace priorityd::rpc
