#include "server/transport/unix_socket.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace priorityd::rpc {
namespace {

constexpr mode_t kOwnOnly = 0177;

bool Answers(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answers =
      connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(socket);
  return answers;
}

absl::Status Failed(absl::string_view flag, absl::string_view got) {
  return absl::FailedPreconditionError(
      absl::StrCat(flag, ": got ", got, ": ", std::strerror(errno)));
}

}  // namespace

std::string SocketPath(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "unix:")) return "";
  // unix:///path is the same.
  if (absl::ConsumePrefix(&address, "///")) return absl::StrCat("/", address);
  return std::string(address);
}

absl::Status CheckUnused(const std::string& path) {
  if (!Answers(path)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("--listen: got unix:", path, ", want one that no other program listens on"));
}

PrivateFiles::PrivateFiles() : before_(umask(kOwnOnly)) {}

PrivateFiles::~PrivateFiles() { umask(before_); }

absl::Status GrantAccess(const std::string& path, const SocketAccess& access) {
  if (!access.group.empty()) {
    const group* found = getgrnam(access.group.c_str());
    if (found == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("--socket_group: got ", access.group, ", want a group of this host"));
    }
    if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0) {
      return Failed("--socket_group", access.group);
    }
  }
  if (chmod(path.c_str(), access.mode) != 0) return Failed("--socket_mode", path);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
