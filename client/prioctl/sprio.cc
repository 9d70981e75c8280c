#include "client/prioctl/sprio.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace priorityd::prioctl {
namespace {

constexpr int kFactorWidth = 10;
constexpr int kTresWidth = 20;

// A heading over a weight, both right-aligned and cut to the width.
struct Weight {
  std::string name;
  std::string value;
  int width = kFactorWidth;
};

std::vector<Weight> Weights(const ::priority::v1::PolicyParameters& parameters) {
  std::vector<Weight> weights = {{"PRIORITY", ""}, {"SITE", "1"}};
  const auto add = [&](const char* name, uint32_t weight) {
    if (weight != 0) weights.push_back({name, absl::StrCat(weight)});
  };
  add("AGE", parameters.weight_age());
  add("ASSOC", parameters.weight_assoc());
  add("FAIRSHARE", parameters.weight_fair_share());
  add("JOBSIZE", parameters.weight_job_size());
  add("PARTITION", parameters.weight_partition());
  add("QOS", parameters.weight_qos());
  if (!parameters.weight_tres().empty()) {
    weights.push_back({"TRES", parameters.weight_tres_text(), kTresWidth});
  }
  return weights;
}

// The job's own columns, then one per weight.
std::string Line(const std::string& job, const std::string& partition,
                 const std::vector<std::string>& columns) {
  return absl::StrFormat("%15s %-9s %s", job, partition, absl::StrJoin(columns, " "));
}

}  // namespace

void PrintWeights(const ::priority::v1::PolicyParameters& parameters, bool header,
                  std::ostream& out) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Weight& weight : Weights(parameters)) {
    names.push_back(absl::StrFormat("%*.*s", weight.width, weight.width, weight.name));
    values.push_back(absl::StrFormat("%*.*s", weight.width, weight.width, weight.value));
  }
  if (header) out << Line("JOBID", "PARTITION", names) << '\n';
  out << Line("Weights", "", values) << '\n';
}

}  // namespace priorityd::prioctl
