#include "tests/scenarios/site.h"

#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/storage/test_database.h"

namespace priorityd::scenarios {
namespace {

absl::Status DoesNotRun(const std::string& name) {
  return absl::InvalidArgumentError(absl::StrCat("server ", name, " does not run"));
}

}  // namespace

absl::Status Site::Start(const std::string& name) {
  if (servers_.count(name) > 0) {
    return absl::InvalidArgumentError(absl::StrCat("server ", name, " runs already"));
  }
  if (database_url_.empty()) database_url_ = storage::NewTestDatabase();
  auto process = std::make_unique<RealPriorityd>(std::vector<std::string>{
      "--listen=127.0.0.1:0", absl::StrCat("--database_url=", database_url_)});
  if (!process->AwaitListening()) return absl::InternalError("the server does not listen");
  client::ConnectOptions options;
  options.address = process->address();
  servers_[name] = {std::move(process), std::make_unique<client::PriorityClient>(options)};
  return absl::OkStatus();
}

absl::Status Site::Kill(const std::string& name) {
  const auto server = servers_.find(name);
  if (server == servers_.end()) return DoesNotRun(name);
  server->second.process->Signal(SIGKILL);
  server->second.process->Wait();
  servers_.erase(server);
  return absl::OkStatus();
}

absl::StatusOr<const client::PriorityClient*> Site::Client(const std::string& name) {
  if (database_url_.empty()) {
    if (absl::Status s = Start("a"); !s.ok()) return s;
  }
  const auto server = name.empty() ? servers_.begin() : servers_.find(name);
  if (server == servers_.end()) return DoesNotRun(name);
  return server->second.client.get();
}

}  // namespace priorityd::scenarios
