#include "tests/deploy/monitored_rules.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tests/deploy/real_prometheus.h"

namespace priorityd {
namespace {

// A rule's expression, on the same line or on those below it that are further in.
std::string ExpressionAfter(const std::string& rules, size_t at) {
  const size_t begin = rules.find("expr: ", at) + 6;
  const size_t end = rules.find("\n        for:", begin);
  return absl::StrReplaceAll(rules.substr(begin, end - begin), {{"|\n", ""}});
}

}  // namespace

std::map<std::string, std::string> WatchedExpressions() {
  std::map<std::string, std::string> expressions;
  const std::string rules = ContentOf("deploy/prometheus/priorityd.rules.yml");
  const std::regex comparison(" (==|>|<) [0-9.]+(?=( or )|\n|$)");
  for (size_t at = 0; (at = rules.find("- alert: ", at)) != std::string::npos; ++at) {
    const std::string name = rules.substr(at + 9, rules.find('\n', at) - at - 9);
    expressions[name] = std::regex_replace(ExpressionAfter(rules, at), comparison, "");
  }
  return expressions;
}

std::string ImpatientRules() {
  std::string rules = ContentOf("deploy/prometheus/priorityd.rules.yml");
  rules = std::regex_replace(rules, std::regex("for: [0-9]+[smh]"), "for: 0s");
  return absl::StrReplaceAll(
      rules, {{"[5m]", "[10s]"}, {"[10m]", "[10s]"}, {" > 120\n", " > 5\n"}, {" > 30", " > 2"}});
}

std::map<std::string, std::string> PanelQueries() {
  std::map<std::string, std::string> queries;
  const auto dashboard = nlohmann::json::parse(ContentOf("deploy/grafana/priorityd.json"));
  for (const auto& panel : dashboard["panels"]) {
    for (const auto& target : panel.value("targets", nlohmann::json::array())) {
      queries[absl::StrCat(panel["title"].get<std::string>(), " ",
                           target["refId"].get<std::string>())] =
          absl::StrReplaceAll(target["expr"].get<std::string>(), {{"$__rate_interval", "10s"},
                                                                  {"$instance", ".*"},
                                                                  {"$cluster", ".*"},
                                                                  {"$cell", ".*"}});
    }
  }
  return queries;
}

std::map<std::string, std::string> VariableQueries(const std::string& cell) {
  std::map<std::string, std::string> queries;
  const auto dashboard = nlohmann::json::parse(ContentOf("deploy/grafana/priorityd.json"));
  const std::regex values("label_values\\((.*), (\\w+)\\)"), result("query_result\\((.*)\\)");
  for (const auto& variable : dashboard["templating"]["list"]) {
    std::string query = variable["query"].get<std::string>();
    if (query == "prometheus") continue;
    query = std::regex_replace(query, values, "count by ($2) ($1{$2!=\"\"})");
    query = std::regex_replace(query, result, "$1");
    queries[variable["name"].get<std::string>()] =
        absl::StrReplaceAll(query, {{"}{", ","}, {"$cell", cell}, {"$instance", ".*"}});
  }
  return queries;
}

}  // namespace priorityd
