// The alert rules and the dashboard of deploy/, as tests ask Prometheus about them.
#ifndef PRIORITYD_TESTS_DEPLOY_MONITORED_RULES_H_
#define PRIORITYD_TESTS_DEPLOY_MONITORED_RULES_H_

#include <map>
#include <string>

namespace priorityd {

// What the alerts look at, by alert: their expressions without the comparison, so that a server
// that is well has data too.
std::map<std::string, std::string> WatchedExpressions();

// The rules for a test that has seconds: alerts fire at once, rates are those of ten seconds, and
// what has to last for more than so many seconds lasts for fewer.
std::string ImpatientRules();

// The dashboard's queries, by panel and letter, with its variables filled in.
std::map<std::string, std::string> PanelQueries();

// What Prometheus is asked for the values of the dashboard's variables, by their names, where
// `cell` is chosen; `.*` = all.
std::map<std::string, std::string> VariableQueries(const std::string& cell);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_DEPLOY_MONITORED_RULES_H_
