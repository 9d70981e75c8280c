#include "tests/storage/dropped_packets.h"

#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

// Port of one end of a connected TCP socket over IPv4; 0 = it is none.
int PortOf(int fd, decltype(getpeername)* end) {
  sockaddr_in address = {};
  socklen_t size = sizeof(address);
  if (end(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

bool IsConnected(int fd) { return PortOf(fd, getpeername) != 0; }

std::vector<int> FilesOf(pid_t process) {
  std::vector<int> files;
  const std::string folder = "/proc/" + std::to_string(process) + "/fd";
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    files.push_back(std::stoi(entry.path().filename()));
  }
  return files;
}

// Copies of what another process has open; none if it is gone.
std::vector<int> CopySockets(pid_t process) {
  std::vector<int> copies;
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (pidfd < 0) return copies;
  for (const int file : FilesOf(process)) {
    const int fd = static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, file, 0));
    if (fd >= 0) copies.push_back(fd);
  }
  close(pidfd);
  return copies;
}

void Write(const char* path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

bool EnterNetwork() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (user == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  Write("/proc/self/setgroups", "deny");
  Write("/proc/self/uid_map", absl::StrCat(user, " ", user, " 1"));
  Write("/proc/self/gid_map", absl::StrCat(group, " ", group, " 1"));
  ifreq loopback = {};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  const bool is_up = ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;
  close(fd);
  return is_up;
}

DroppedPackets DroppedPackets::From(int port) {
  DroppedPackets dropped;
  // Before a copy gets the number of the folder listed. By the port of its end here, as a
  // connection may have several descriptors.
  std::map<int, int> connected;
  for (const int fd : FilesOf(getpid())) {
    if (PortOf(fd, getpeername) == port) connected.emplace(PortOf(fd, getsockname), fd);
  }
  for (const auto& [end, fd] : connected) dropped.Add(dup(fd));
  return dropped;
}

DroppedPackets DroppedPackets::From(int port, pid_t process) {
  DroppedPackets dropped;
  for (const int fd : CopySockets(process)) dropped.AddIf(PortOf(fd, getpeername) == port, fd);
  return dropped;
}

DroppedPackets DroppedPackets::To(int port, const std::vector<pid_t>& processes) {
  DroppedPackets dropped;
  for (const pid_t process : processes) {
    for (const int fd : CopySockets(process)) {
      dropped.AddIf(IsConnected(fd) && PortOf(fd, getsockname) == port, fd);
    }
  }
  return dropped;
}

void DroppedPackets::AddIf(bool wanted, int fd) {
  if (wanted) {
    Add(fd);
  } else {
    close(fd);
  }
}

void DroppedPackets::Add(int fd) {
  sock_filter none[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program = {1, none};
  if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0) {
    std::perror("packet filter");
    std::abort();
  }
  sockets_.push_back(fd);
}

DroppedPackets::~DroppedPackets() {
  const int unused = 0;
  for (const int fd : sockets_) {
    setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused));
    close(fd);
  }
}

}  // namespace priorityd::storage
