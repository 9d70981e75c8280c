#include "tests/deploy/real_prometheus.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(200);
// Under load a scrape may fail, and what a rule looks back on is then there later.
constexpr absl::Duration kPatience = absl::Minutes(5);

std::string ConfigurationFor(const std::vector<std::string>& targets) {
  return absl::StrCat(
      "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\n"
      "rule_files: [\"*.rules.yml\"]\n"
      "scrape_configs:\n"
      "  - job_name: priorityd\n"
      "    static_configs: [{targets: [\"",
      absl::StrJoin(targets, "\", \""), "\"]}]\n");
}

bool Await(absl::Duration patience, const std::function<bool()>& condition) {
  for (const absl::Time deadline = absl::Now() + patience; absl::Now() < deadline;) {
    if (condition()) return true;
    absl::SleepFor(kBetweenLooks);
  }
  return condition();
}

}  // namespace

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int RunPromtool(const std::vector<std::string>& arguments, std::string* output) {
  const std::string command =
      absl::StrCat("/usr/bin/promtool ", absl::StrJoin(arguments, " "), " 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output->append(buffer, got);
  return pclose(pipe);
}

RealPrometheus::RealPrometheus(const std::vector<std::string>& targets, const std::string& rules)
    : folder_(storage::NewTestDirectory()), port_(FreePort()) {
  std::ofstream(folder_ + "/prometheus.yml") << ConfigurationFor(targets);
  if (!rules.empty()) std::ofstream(folder_ + "/test.rules.yml") << rules;
  process_ = std::make_unique<storage::BackgroundProgram>(
      std::vector<std::string>{"/usr/bin/prometheus",
                               "--config.file=" + folder_ + "/prometheus.yml",
                               "--storage.tsdb.path=" + folder_ + "/data",
                               absl::StrCat("--web.listen-address=127.0.0.1:", port_)},
      folder_ + "/log");
  const bool is_ready = Await(kPatience, [this] {
    httplib::Client client("127.0.0.1", port_);
    const auto ready = client.Get("/-/ready");
    return ready && ready->status == 200;
  });
  EXPECT_TRUE(is_ready) << ContentOf(folder_ + "/log");
}

std::string RealPrometheus::Get(const std::string& path, const std::string& query) const {
  httplib::Client client("127.0.0.1", port_);
  client.set_read_timeout(30);
  const auto answer = query.empty() ? client.Get(path.c_str())
                                    : client.Get(path.c_str(), httplib::Params{{"query", query}},
                                                 httplib::Headers{});
  // Under load one may not come in time: who waits for data asks again.
  EXPECT_TRUE(!answer || answer->status == 200) << path << " " << query << "\n" << answer->body;
  return answer ? answer->body : "{}";
}

std::vector<double> RealPrometheus::Query(const std::string& expression) const {
  std::vector<double> values;
  const auto answer = nlohmann::json::parse(Get("/api/v1/query", expression), nullptr, false);
  if (!answer.contains("data")) return values;
  for (const auto& series : answer["data"]["result"]) {
    values.push_back(std::strtod(series["value"][1].get<std::string>().c_str(), nullptr));
  }
  return values;
}

bool RealPrometheus::AwaitData(const std::string& expression) const {
  return Await(kPatience, [&] { return !Query(expression).empty(); });
}

std::set<std::string> RealPrometheus::Firing() const {
  std::set<std::string> names;
  const auto answer = nlohmann::json::parse(Get("/api/v1/alerts"), nullptr, false);
  if (!answer.contains("data")) return names;
  for (const auto& alert : answer["data"]["alerts"]) {
    if (alert["state"] == "firing") names.insert(alert["labels"]["alertname"]);
  }
  return names;
}

bool RealPrometheus::AwaitAlert(const std::string& name) const {
  return Await(kPatience, [&] { return Firing().contains(name); });
}

}  // namespace priorityd
