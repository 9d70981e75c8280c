#include "server/http/connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::http {
namespace {

// A minimum, so that a probe finds a place while connections are being dropped.
constexpr size_t kPlacesForPages = 16;

quotas::Rule RuleOfRequests(const ServerOptions& options) {
  quotas::Rule rule = options.parts.RuleOf(quotas::kHttpRequests, options.max_connections,
                                           "await answers before you ask more");
  rule.reserve = std::max(rule.reserve, std::min(kPlacesForPages, options.max_connections / 2));
  return rule;
}

// Metrics know no roles, so nothing of it is kept for services.
quotas::Rule RuleOfPages(const ServerOptions& options) {
  quotas::Rule rule = options.parts.RuleOf(quotas::kHttpPageBytes, options.all_page_bytes,
                                           "read other pages first");
  rule.reserve = 0;
  return rule;
}

void SetOption(int socket, int level, int name, int64_t value) {
  const int number = static_cast<int>(value);
  setsockopt(socket, level, name, &number, sizeof(number));
}

}  // namespace

void CloseIfPeerVanishes(int socket) {
  constexpr int kQuestions = 3;
  const int64_t between = absl::ToInt64Seconds(kVanishedAfter) / (kQuestions + 1);
  SetOption(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPIDLE, between);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPINTVL, between);
  SetOption(socket, IPPROTO_TCP, TCP_KEEPCNT, kQuestions);
  // Data without an answer; TCP sends no keepalive then.
  SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, absl::ToInt64Milliseconds(kVanishedAfter));
}

bool IsClosedByPeer(int socket) {
  pollfd closed = {.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&closed, 1, 0) > 0;
}

Connections::Connections(const ServerOptions& options, Routes routes)
    : options_(options),
      routes_(std::move(routes)),
      places_({.name = "http_connections", .capacity = options.max_connections}),
      requests_(RuleOfRequests(options)),
      streams_(
          options.parts.RuleOf(quotas::kHttpStreams, options.max_streams, "close other streams")),
      body_bytes_(options.parts.RuleOf(quotas::kHttpBodyBytes, options.all_body_bytes,
                                       "await answers before you send more"),
                  options.memory),
      answer_bytes_(options.parts.RuleOf(quotas::kHttpAnswerBytes, options.all_answer_bytes,
                                         "read other answers first"),
                    options.memory),
      page_bytes_(RuleOfPages(options)) {}

const Handler* Connections::FindHandler(const std::string& path) const {
  if (routes_.pages.count(path) > 0) return nullptr;
  const Handler* found = nullptr;
  // The longest prefix comes last.
  for (const auto& [prefix, handler] : routes_.handlers) {
    if (absl::StartsWith(path, prefix)) found = &handler;
  }
  return found;
}

Response Connections::PageFor(const Request& request) const {
  Response response;
  const auto page = routes_.pages.find(request.path);
  if (page == routes_.pages.end()) {
    response.status = 404;
    response.body = "want one of\n";
    for (const auto& [path, other] : routes_.pages) absl::StrAppend(&response.body, path, "\n");
    for (const auto& [prefix, other] : routes_.handlers) {
      absl::StrAppend(&response.body, prefix, "...\n");
    }
    return response;
  }
  if (request.IsRead()) return page->second(request);
  response.status = 405;
  response.body = "want GET\n";
  response.headers.emplace_back("Allow", "GET, HEAD");
  return response;
}

bool Connections::Enter(const std::shared_ptr<Connection>& connection, const quotas::Holder& peer) {
  std::shared_ptr<Connection> dropped;  // Released outside the lock, which Leave takes.
  absl::MutexLock lock(&mutex_);
  if (stops_) return false;
  auto place = places_.Take(peer);
  if (!place.ok()) {
    dropped = MakeRoom();
    if (dropped == nullptr) return false;
    dropped->Drop();
    place = places_.Take(peer);
    if (!place.ok()) return false;
  }
  Entry& entry = entries_[connection.get()];
  entry.connection = connection;
  entry.place = *std::move(place);
  AddIdle(connection.get(), &entry);
  return true;
}

void Connections::AddIdle(Connection* connection, Entry* entry) {
  Idle& idle = idle_[entry->place.holder().name];
  entry->idle = idle.insert(idle.end(), connection);
  entry->is_idle = true;
}

void Connections::RemoveIdle(Entry* entry) {
  if (!std::exchange(entry->is_idle, false)) return;
  const auto found = idle_.find(entry->place.holder().name);
  found->second.erase(entry->idle);
  if (found->second.empty()) idle_.erase(found);
}

std::shared_ptr<Connection> Connections::MakeRoom() {
  while (!idle_.empty()) {
    const auto most = absl::c_max_element(idle_, [](const auto& one, const auto& other) {
      return one.second.size() < other.second.size();
    });
    Entry& entry = entries_.at(most->second.front());
    std::shared_ptr<Connection> connection = entry.connection.lock();
    RemoveIdle(&entry);
    entry.place.Clear();
    // A connection that is being destroyed has just made room.
    if (connection != nullptr) return connection;
  }
  return nullptr;
}

bool Connections::Keep(Connection* connection) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = entries_.at(connection);
  RemoveIdle(&entry);
  return entry.place.size() > 0;
}

bool Connections::LetGo(Connection* connection) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = entries_.at(connection);
  if (entry.place.size() == 0) return false;
  RemoveIdle(&entry);
  AddIdle(connection, &entry);
  return true;
}

void Connections::Leave(Connection* connection) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end()) return;
  RemoveIdle(&found->second);
  entries_.erase(found);
}

std::vector<quotas::Usage> Connections::Usages() const {
  return {places_.usage(),     requests_.usage(),     streams_.usage(),
          body_bytes_.usage(), answer_bytes_.usage(), page_bytes_.usage()};
}

void Connections::StopAll() {
  std::vector<std::shared_ptr<Connection>> all;  // Released outside the lock, which Leave takes.
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    for (const auto& [key, entry] : entries_) all.push_back(entry.connection.lock());
  }
  for (const auto& connection : all) {
    if (connection != nullptr) connection->Stop();
  }
}

void Connections::AwaitNone() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &Connections::IsEmpty));
}

}  // namespace priorityd::http
