// Packets of a TCP connection that do not arrive.
#ifndef TESTS_STORAGE_DROPPED_PACKETS_H_
#define TESTS_STORAGE_DROPPED_PACKETS_H_

#include <sys/types.h>

#include <vector>

namespace priorityd::storage {

// Gives this process and those that it starts from now on a network of their own, of loopback
// alone, in which they may drop packets. False where the machine lets nobody have one: neither
// are we root, nor may we have a user namespace. REQUIRES: this process has one thread.
bool EnterNetwork();

// While it lives, no packet arrives at some sockets, acknowledgements neither; what they send
// goes out. Each has a packet filter. REQUIRES: EnterNetwork().
class DroppedPackets {
 public:
  // Of this process's sockets, those connected to `port`.
  static DroppedPackets From(int port);
  // Of another process's.
  static DroppedPackets From(int port, pid_t process);
  // Of the sockets of `processes`, those connected from this process to `port`, which they
  // listen on: no packet of ours arrives.
  static DroppedPackets To(int port, const std::vector<pid_t>& processes);
  // Packets arrive again.
  ~DroppedPackets();
  DroppedPackets(DroppedPackets&&) = default;
  DroppedPackets& operator=(DroppedPackets&&) = delete;

  // How many sockets there were.
  size_t size() const { return sockets_.size(); }

 private:
  DroppedPackets() = default;
  // Takes a copy of a socket.
  void Add(int fd);
  // Takes the socket, or closes it.
  void AddIf(bool wanted, int fd);

  std::vector<int> sockets_;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_DROPPED_PACKETS_H_
