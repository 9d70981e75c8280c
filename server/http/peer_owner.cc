#include "server/http/peer_owner.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "absl/base/call_once.h"
#include "absl/status/status.h"

namespace priorityd::http {
namespace {

namespace ip = boost::asio::ip;

struct Question {
  nlmsghdr head;
  inet_diag_req_v2 socket;
};

// The IPv4 address of an IPv6 one that stands for it.
ip::address Plain(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

// In network byte order.
void Write(const ip::address& address, __be32 (&words)[4]) {
  if (address.is_v4()) {
    memcpy(words, address.to_v4().to_bytes().data(), 4);
  } else {
    memcpy(words, address.to_v6().to_bytes().data(), 16);
  }
}

Question AskFor(const ip::tcp::endpoint& peer, const ip::tcp::endpoint& own) {
  Question question = {};
  question.head.nlmsg_len = sizeof(question);
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.socket.sdiag_family = Plain(peer.address()).is_v4() ? AF_INET : AF_INET6;
  question.socket.sdiag_protocol = IPPROTO_TCP;
  question.socket.idiag_states = ~0U;
  inet_diag_sockid& id = question.socket.id;
  id.idiag_sport = htons(peer.port());
  id.idiag_dport = htons(own.port());
  Write(Plain(peer.address()), id.idiag_src);
  Write(Plain(own.address()), id.idiag_dst);
  id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

std::optional<uid_t> Ask(int netlink, const Question& question) {
  if (send(netlink, &question, sizeof(question), 0) != sizeof(question)) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer;
  // The kernel answers within send.
  const ssize_t size = recv(netlink, answer.data(), answer.size(), MSG_DONTWAIT);
  const auto* head = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) return std::nullopt;
  if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(head));
  // A socket that its process has closed has no inode, and uid 0.
  if (socket->idiag_state == TCP_LISTEN || socket->idiag_inode == 0) return std::nullopt;
  return socket->idiag_uid;
}

void WarnOnceOf(const absl::Status& refusal) {
  static absl::once_flag once;
  absl::call_once(once, [&refusal] {
    spdlog::warn("all users of this host share one quota of HTTP requests: {}",
                 std::string(refusal.message()));
  });
}

}  // namespace

std::optional<uid_t> OwnerOf(const ip::tcp::endpoint& peer, const ip::tcp::endpoint& own) {
  const bool is_local = Plain(peer.address()).is_loopback() || peer.address() == own.address();
  if (!is_local) return std::nullopt;
  const int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) {
    // Without files there are no users of any connection.
    const bool is_refused = errno != EMFILE && errno != ENFILE;
    if (is_refused) WarnOnceOf(absl::ErrnoToStatus(errno, "socket of AF_NETLINK"));
    return std::nullopt;
  }
  const std::optional<uid_t> owner = Ask(netlink, AskFor(peer, own));
  close(netlink);
  return owner;
}

}  // namespace priorityd::http
