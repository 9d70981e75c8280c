// Debian's Prometheus as a process of a test's own; the package's service is not needed.
#ifndef PRIORITYD_TESTS_DEPLOY_REAL_PROMETHEUS_H_
#define PRIORITYD_TESTS_DEPLOY_REAL_PROMETHEUS_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/storage/postgres_server.h"

namespace priorityd {

// Scrapes once a second, as the job `priorityd`, and evaluates rules as often.
class RealPrometheus {
 public:
  // `targets`: host:port of /metrics. `rules`: the content of a rule file; empty = none.
  explicit RealPrometheus(const std::vector<std::string>& targets, const std::string& rules = "");

  // The values that a query has now, NaN too; fails the test if Prometheus refuses it.
  std::vector<double> Query(const std::string& expression) const;

  // Waits five minutes at most until it has some.
  bool AwaitData(const std::string& expression) const;

  // The names of the alerts that fire now.
  std::set<std::string> Firing() const;

  // Waits five minutes at most until it fires.
  bool AwaitAlert(const std::string& name) const;

 private:
  std::string Get(const std::string& path, const std::string& query = "") const;

  const std::string folder_;
  const int port_;
  std::unique_ptr<storage::BackgroundProgram> process_;
};

// Runs promtool with these arguments; its exit code, and what it printed.
int RunPromtool(const std::vector<std::string>& arguments, std::string* output);

// The content of a file of the repository; fails the test if there is none.
std::string ContentOf(const std::string& path);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_DEPLOY_REAL_PROMETHEUS_H_
