#include "server/http/connections.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::http {

const Handler* Connections::FindHandler(const std::string& path) const {
  if (routes_.pages.count(path) > 0) return nullptr;
  const Handler* found = nullptr;
  // The longest beginning comes last.
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
    return response;
  }
  if (request.IsRead()) return page->second(request);
  response.status = 405;
  response.body = "want GET\n";
  response.headers.emplace_back("Allow", "GET, HEAD");
  return response;
}

bool Connections::Enter(const std::shared_ptr<Connection>& connection) {
  absl::MutexLock lock(&mutex_);
  if (stops_ || connections_.size() >= options_.max_connections) return false;
  connections_.emplace(connection.get(), connection);
  return true;
}

void Connections::Leave(Connection* connection) {
  absl::MutexLock lock(&mutex_);
  connections_.erase(connection);
}

void Connections::StopAll() {
  std::vector<std::shared_ptr<Connection>> all;  // Let go of outside the lock, which Leave takes.
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    for (const auto& [key, connection] : connections_) all.push_back(connection.lock());
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
