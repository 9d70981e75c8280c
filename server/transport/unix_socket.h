// Permissions of a Unix socket to listen on.
#ifndef PRIORITYD_SERVER_TRANSPORT_UNIX_SOCKET_H_
#define PRIORITYD_SERVER_TRANSPORT_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// The mode and the group of a socket's file.
struct SocketAccess {
  mode_t mode = 0600;
  std::string group;  // Empty = the process's group.
};

// The path of an address `unix:PATH`; empty for other addresses.
std::string SocketPath(absl::string_view address);

// FAILED_PRECONDITION if another process listens on the socket, which gRPC would replace.
absl::Status CheckUnused(const std::string& path);

// While it lives, files that the process creates are private to its user, so that a socket is never
// open to others before GrantAccess. Affects the whole process: use only while starting to listen.
class PrivateFiles {
 public:
  PrivateFiles();
  ~PrivateFiles();
  PrivateFiles(const PrivateFiles&) = delete;
  PrivateFiles& operator=(const PrivateFiles&) = delete;

 private:
  const mode_t before_;
};

// FAILED_PRECONDITION if the group does not exist or the process is not in it.
absl::Status GrantAccess(const std::string& path, const SocketAccess& access);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_UNIX_SOCKET_H_
