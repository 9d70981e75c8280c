#include "server/api/domains/validate_domains.h"

#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// Each is compared with the domain's tree while both are locked.
constexpr int kMaxMembersOfRequest = 100;
constexpr double kMaxPrice = 1e18;

using Names = google::protobuf::RepeatedPtrField<std::string>;

void CheckMembers(const char* field, const Names& names, std::set<std::string>* seen,
                  RequestViolations* violations) {
  violations->CheckCount(field, names.size(), kMaxMembersOfRequest);
  for (int i = 0; i < names.size() && i < kMaxMembersOfRequest; ++i) {
    const std::string place = absl::StrCat(field, "[", i, "]");
    violations->CheckClusterName(place, names[i]);
    if (names[i].empty()) violations->Add(place, "got none, want the name of a cluster");
    if (seen->insert(names[i]).second) continue;
    violations->Add(place, "got a cluster twice, want it once");
  }
}

void CheckPrice(const std::string& tres, double price, std::set<std::string>* seen,
                RequestViolations* violations) {
  const std::string field =
      absl::StrCat("prices[\"", absl::CHexEscape(tres.substr(0, errors::kShownBytes)), "\"]");
  const auto canonical = priority::CanonicalTresName(tres);
  if (!canonical.ok()) {
    violations->Add(field, "got an unknown type, want billing, cpu, mem, node, gres/NAME, ...");
  } else if (!priority::FitsTresList(tres)) {
    violations->Add(field, priority::kUnfitTresName);
  } else if (!seen->insert(*canonical).second) {
    violations->Add(field, "got it twice, want it once");
  }
  if (price >= 0 && price <= kMaxPrice) return;
  violations->Add(field, absl::StrCat("got ", price, ", want 0 to ", kMaxPrice));
}

}  // namespace

absl::Status Validate(const v1::ListDomainsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("domain", request.domain());
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateDomainRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.join().empty() && request.leave().empty()) {
    violations.Add("join", "got none, want a cluster that joins, or one that leaves");
  }
  std::set<std::string> seen;
  CheckMembers("join", request.join(), &seen, &violations);
  CheckMembers("leave", request.leave(), &seen, &violations);
  if (request.join().empty() && !request.prices().empty()) {
    violations.Add("prices", "got some, want none without a cluster that joins");
  }
  violations.CheckCount("prices", static_cast<int>(request.prices().size()),
                        static_cast<int>(errors::kMaxTresNames));
  if (request.prices().size() <= errors::kMaxTresNames) {
    std::set<std::string> tres;
    for (const auto& [name, price] : request.prices()) CheckPrice(name, price, &tres, &violations);
  }
  CheckOptions(request.options(), &violations);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
