// Checks the names of the objects that a request changes.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_CHECK_NAMES_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_CHECK_NAMES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "priority/v1/administration.pb.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {

// At least one name.
inline void CheckChangedNames(const google::protobuf::RepeatedPtrField<std::string>& names,
                              int most, RequestViolations* violations) {
  if (names.empty()) violations->Add("names", "got none, want at least one");
  violations->CheckCount("names", names.size(), most);
  if (names.size() > most) return;
  for (int i = 0; i < names.size(); ++i) {
    violations->CheckText(absl::StrCat("names[", i, "]"), names[i], errors::kMaxNameBytes);
  }
}

// Maximum QOS or partitions of one request.
inline constexpr int kMaxChangedNames = 1000;

// Whether the call creates leases for options.until.
template <typename Request>
inline constexpr bool kMayLease = std::is_same_v<Request, ::priority::v1::UpdateQosRequest> ||
                                  std::is_same_v<Request, ::priority::v1::UpdatePartitionsRequest>;

// Checks the common parts of requests that change these by name.
template <typename Request>
void CheckChange(const Request& request, RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  CheckChangedNames(request.names(), kMaxChangedNames, violations);
  CheckOptions(request.options(), violations, kMayLease<Request>);
}

inline std::vector<std::string> ToNames(
    const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_CHECK_NAMES_H_
