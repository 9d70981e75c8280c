// HTTP requests: a body and a query, of messages of all shapes.
#include <string>

#include "engine/errors/error_details.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/report.pb.h"
#include "server/gateway/transcoding.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;

using slurm::Check;

void CheckFault(const absl::Status& status) {
  Check(absl::IsInvalidArgument(status), "what is wrong is the argument");
  Check(!status.message().empty(), "a fault says what is wrong");
  Check(slurm::IsValidUtf8(status.message()), "a fault can be sent");
  Check(!errors::ReasonOf(status).empty(), "a fault has a reason");
}

// As a call over HTTP reads its body.
absl::Status FromJson(const std::string& json, google::protobuf::Message* message) {
  const auto bytes = BytesFromJson(json, *message->GetDescriptor());
  if (!bytes.ok()) return bytes.status();
  if (message->ParseFromString(*bytes)) return absl::OkStatus();
  return errors::WithReason(absl::InvalidArgumentError("got bytes of no message of the type"),
                            "MALFORMED_MESSAGE");
}

// The message read is written as JSON, and read again the same.
template <typename Message>
void CheckTold(const Message& message) {
  const std::string told = ToJson(message);
  Message again;
  Check(FromJson(told, &again).ok(), "what is told can be read");
  Check(ToJson(again) == told, "and is the same");
}

template <typename Message>
void Run(const std::string& text) {
  Message of_json;
  const absl::Status json = FromJson(text, &of_json);
  json.ok() ? CheckTold(of_json) : CheckFault(json);
  Message of_query;
  const absl::Status query = FromQuery(text, &of_query);
  query.ok() ? CheckTold(of_query) : CheckFault(query);
}

void RunOne(const std::string& text) {
  Check(PercentDecoded(text).size() <= text.size(), "decoding makes nothing longer");
  Run<v1::RankJobsRequest>(text);
  Run<v1::UpdateJobsRequest>(text);
  Run<v1::ReportUsageRequest>(text);
  Run<v1::UpdateClusterRequest>(text);
  Run<v1::CreateAssociationsRequest>(text);
}

[[maybe_unused]] const bool registered = fuzz::Register({"transcoding", RunOne});

}  // namespace
}  // namespace priorityd::gateway
