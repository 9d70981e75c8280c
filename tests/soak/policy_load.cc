#include "tests/soak/policy_load.h"

#include "absl/strings/str_cat.h"
#include "tests/soak/site.h"

namespace priorityd::soak {

namespace v1 = ::priority::v1;

Operator::Operator(const LoadOptions& options)
    : Load(options, ConnectAs(kAdministrator, *options.replicas), absl::Seconds(1)) {}

void Operator::Step() {
  const int cluster = AnyCluster();
  v1::ApplyPolicyRequest request;
  request.set_cluster(ClusterName(cluster));
  request.set_text(PolicyText(cluster, changes_ + 1));
  request.set_file_name("slurm.conf");
  const auto response = UntilAnswered<v1::ApplyPolicyResponse>(
      "ApplyPolicy",
      [&](const client::PriorityClient& client) { return client.ApplyPolicy(request); });
  if (!response.ok()) return;
  ++changes_;
  texts_[cluster] = request.text();
}

std::string Operator::Summary() const {
  return absl::StrCat(changes_, " changes of policies, ", errors(), " errors");
}

}  // namespace priorityd::soak
