// Lists and ends leases, and shows their effect on settings.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_LEASES_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_LEASES_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/lease.pb.h"
#include "server/administration/leases/lease_reading.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Each implements its RPC. A change takes effect soon.
absl::Status ListLeases(const AdministrationCall& call,
                        const ::priority::v1::ListLeasesRequest& request,
                        ::priority::v1::ListLeasesResponse* response);
absl::Status EndLeases(const AdministrationCall& call,
                       const ::priority::v1::EndLeasesRequest& request,
                       ::priority::v1::ChangeResponse* response);

// The leased settings of these objects by the cluster's clock.
absl::StatusOr<administration::ValuesByObject> LeasedSettings(
    const AdministrationCall& call, const std::vector<std::string>& objects);
// Adds the leased settings of one object to `proto`.
void ToProto(const administration::ValuesByObject& values, const std::string& object,
             google::protobuf::RepeatedPtrField<::priority::v1::LeasedSetting>* proto);

// Adds the leased settings to messages with a name; `kind`: the first word of their objects.
template <typename Rows>
absl::Status AddLeased(const AdministrationCall& call, const char* kind, Rows* rows) {
  std::vector<std::string> objects;
  for (const auto& row : *rows) objects.push_back(absl::StrCat(kind, " ", row.name()));
  const auto values = LeasedSettings(call, objects);
  if (!values.ok()) return values.status();
  for (int i = 0; i < rows->size(); ++i) {
    ToProto(*values, objects[i], rows->Mutable(i)->mutable_leased());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_LEASES_H_
