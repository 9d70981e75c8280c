// What a scenario plays against: a database, and real servers on it.
#ifndef PRIORITYD_TESTS_SCENARIOS_SITE_H_
#define PRIORITYD_TESTS_SCENARIOS_SITE_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "tests/end_to_end/real_priorityd.h"

namespace priorityd::scenarios {

// A site of its own for each scenario, on the one PostgreSQL of the test. Its
// servers are processes that end with it.
class Site {
 public:
  // Starts `name`; INVALID_ARGUMENT if it runs.
  absl::Status Start(const std::string& name);
  // Kills it by SIGKILL and waits for its end. INVALID_ARGUMENT if it does not run.
  absl::Status Kill(const std::string& name);

  // A connection to `name`; empty = to the first by name that runs. If none was ever
  // started, `a` is. INVALID_ARGUMENT if it does not run.
  absl::StatusOr<const client::PriorityClient*> Client(const std::string& name);

  // The scenario's clock, the as_of of its requests; nullopt before it was set.
  std::optional<absl::Time> now() const { return now_; }
  void SetNow(absl::Time now) { now_ = now; }

 private:
  struct Server {
    std::unique_ptr<RealPriorityd> process;
    std::unique_ptr<client::PriorityClient> client;
  };

  std::optional<absl::Time> now_;
  std::string database_url_;
  std::map<std::string, Server> servers_;  // Those that run.
};

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_SITE_H_
