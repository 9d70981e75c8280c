// A Unix socket to listen on: who may open it.
#ifndef PRIORITYD_SERVER_RPC_UNIX_SOCKET_H_
#define PRIORITYD_SERVER_RPC_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// Who may open a socket, by the mode and the group of its file.
struct SocketAccess {
  mode_t mode = 0600;
  std::string group;  // Empty = that of the process.
};

// The path of an address `unix:PATH`; empty for other addresses.
std::string SocketPath(absl::string_view address);

// FAILED_PRECONDITION where another process listens on the socket, which gRPC would push aside.
absl::Status CheckUnused(const std::string& path);

// While it lives the process makes files that only its own user can open, so that a socket is
// never open to others before GrantAccess. Of the whole process: for the moment of listening only.
class PrivateFiles {
 public:
  PrivateFiles();
  ~PrivateFiles();
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  const mode_t before_;
};

// FAILED_PRECONDITION where there is no such group, or the process is not in it.
absl::Status GrantAccess(const std::string& path, const SocketAccess& access);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_UNIX_SOCKET_H_
