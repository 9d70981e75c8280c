#include "client/prioctl/jobs/print_json.h"

#include <google/protobuf/util/json_util.h>

#include <string>

namespace priorityd::jobs {

absl::Status PrintJson(const google::protobuf::Message& message, std::ostream& out) {
  google::protobuf::util::JsonPrintOptions print;
  print.always_print_primitive_fields = true;
  std::string json;
  const auto written = google::protobuf::util::MessageToJsonString(message, &json, print);
  if (!written.ok()) return absl::InternalError("the answer cannot be written as JSON");
  out << json << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::jobs
