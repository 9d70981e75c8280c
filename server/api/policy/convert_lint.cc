#include "server/api/policy/convert_lint.h"

#include <string>

namespace priorityd::rpc {

void ToProto(const explanation::PolicyLint& lint, ::priority::v1::LintPolicyResponse* response) {
  for (const explanation::FactorRange& range : lint.factors.ranges) {
    ::priority::v1::FactorRange* proto = response->add_ranges();
    proto->set_name(range.name);
    proto->set_weight(range.weight);
    proto->set_lowest_factor(range.lowest_factor);
    proto->set_highest_factor(range.highest_factor);
    proto->set_lowest_contribution(range.lowest_contribution);
    proto->set_highest_contribution(range.highest_contribution);
    proto->set_range(range.range());
    for (const std::string& name : range.overturns) proto->add_overturns(name);
  }
  response->set_rows(static_cast<uint32_t>(lint.factors.rows));
  for (const explanation::PolicyFinding& finding : lint.findings) {
    ::priority::v1::PolicyFinding* proto = response->add_findings();
    proto->set_code(std::string(finding.code));
    proto->set_parameter(finding.parameter);
    proto->set_message(finding.message);
  }
}

}  // namespace priorityd::rpc
