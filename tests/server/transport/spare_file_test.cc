#include "server/transport/spare_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace priorityd::rpc {
namespace {

class SpareFileTest : public testing::Test {
 protected:
  SpareFileTest() {
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof(any)), 0);
    EXPECT_EQ(listen(listener_, 10), 0);
  }
  ~SpareFileTest() override {
    for (const int file : files_) close(file);
    close(listener_);
  }

  int Connect() {
    sockaddr_in address = {};
    socklen_t length = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    files_.push_back(socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(connect(files_.back(), reinterpret_cast<sockaddr*>(&address), length), 0);
    return files_.back();
  }
  // Until there is none left.
  void TakeAllFiles() {
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 100;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int file; (file = open("/dev/null", O_RDONLY)) >= 0;) files_.push_back(file);
    ASSERT_EQ(errno, EMFILE);
  }

  int listener_;
  std::vector<int> files_;
};

TEST_F(SpareFileTest, WithoutAFileWaitingClientsAreRefusedAndLaterOnesAccepted) {
  KeepSpareFile();
  const int first = Connect();
  const int second = Connect();
  TakeAllFiles();
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK), -1);
    EXPECT_EQ(errno, EAGAIN);
  }
  char byte = 0;
  EXPECT_EQ(recv(first, &byte, 1, 0), 0) << "its connection has not ended";
  EXPECT_EQ(recv(second, &byte, 1, 0), 0);
  for (int i = 0; i < 2; ++i) {
    close(files_.back());
    files_.pop_back();
  }
  Connect();
  const int taken = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
  EXPECT_GE(taken, 0);
  close(taken);
}

}  // namespace
}  // namespace priorityd::rpc
