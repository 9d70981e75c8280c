#include "tests/server/service/private_site.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.pb.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

std::string Policy(const std::string& words) {
  return absl::StrCat(
      "Clock=manual\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n"
      "PriorityWeightFairshare=100000\nPriorityWeightAge=1000\nPrivateData=",
      words, "\n");
}

v1::RecordUsageRequest UsageOfAll() {
  v1::RecordUsageRequest request;
  double cpus = 1;
  for (const auto& [user, account] :
       {std::pair("amy", "a"), std::pair("ben", "a"), std::pair("cat", "b")}) {
    v1::UsageRecord record = Usage(user, TestEpoch() - absl::Hours(3), absl::Hours(1), cpus);
    record.set_user(user);
    record.set_account(account);
    *request.add_records() = record;
    cpus *= 2;
  }
  return request;
}

v1::UpdateJobsRequest JobsOfAll() {
  v1::UpdateJobsRequest request;
  for (const char* user : {"amy", "ben", "cat"}) {
    *request.add_upserts() = JobOf(absl::StrCat("job-", user), user);
  }
  v1::Job held = JobOf("job-held", "ben");
  held.set_hold(v1::HOLD_USER);
  *request.add_upserts() = held;
  return request;
}

void AddTexts(const Message& message, std::set<std::string>* texts) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        texts->insert(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                           : reflection.GetString(message, field));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        AddTexts(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                      : reflection.GetMessage(message, field),
                 texts);
      }
    }
  }
}

}  // namespace

PrivateSite::PrivateSite(const std::string& words, identity::Authenticator::Clock clock)
    : replica_({.policy = Policy(words), .clock = std::move(clock)}) {
  Recalculate();
  Call<v1::RecordUsageResponse>("root", "PriorityService/RecordUsage", UsageOfAll());
  const auto tracked =
      Call<v1::UpdateJobsResponse>("root", "PriorityService/UpdateJobs", JobsOfAll());
  for (const v1::JobUpdateResult& result : tracked.upserts()) {
    EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED) << result.message();
  }
  Recalculate();
}

v1::ListLeasesResponse PrivateSite::LeasesOf(const std::string& who) {
  return Call<v1::ListLeasesResponse>(who, "AdminService/ListLeases", v1::ListLeasesRequest());
}

grpc::Status PrivateSite::EndLease(const std::string& who, int64_t id) {
  v1::EndLeasesRequest request;
  request.add_ids(id);
  return StatusOf<v1::ChangeResponse>(who, "AdminService/EndLeases", request);
}

std::set<std::string> PrivateSite::ReservationsOf(const std::string& who) {
  for (const auto& [name, word, value] :
       std::vector<std::array<std::string, 3>>{{"for-amy", "Users", "amy"},
                                               {"for-b", "Accounts", "b"},
                                               {"not-for-cat", "Users", "-cat"}}) {
    if (has_reservations_) break;
    v1::UpdateReservationsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    for (const auto& [setting, text] : std::vector<std::array<std::string, 2>>{
             {"StartTime", "2500-01-01T00:00:00Z"}, {"Duration", "60"}, {word, value}}) {
      v1::Setting& added = *request.add_settings();
      added.set_name(setting);
      added.set_value(text);
    }
    v1::Setting& nodes = *request.add_settings();
    nodes.set_name("Nodes");
    nodes.set_value("n" + std::to_string(name.size()));
    Call<v1::ChangeResponse>("ope", "AdminService/UpdateReservations", request);
  }
  has_reservations_ = true;
  std::set<std::string> names;
  const auto shown = Call<v1::ListReservationsResponse>(who, "AdminService/ListReservations",
                                                        v1::ListReservationsRequest());
  for (const v1::Reservation& reservation : shown.reservations()) names.insert(reservation.name());
  return names;
}

void PrivateSite::SetPrivateData(const std::string& words) {
  v1::ApplyPolicyRequest request;
  request.set_text(Policy(words));
  Call<v1::ApplyPolicyResponse>("root", "AdminService/ApplyPolicy", request);
  Recalculate();
}

void PrivateSite::Recalculate() {
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Hours(1) * ++recalculations_);
  Call<v1::Snapshot>("root", "AdminService/Recalculate", request);
}

std::string PrivateSite::ProofOf(const std::string& who) const {
  const bool is_service = who == "frontend" || who == "dashboard";
  return is_service ? replica_.ServiceToken(who) : replica_.SlurmToken(who);
}

std::set<std::string> TextsOf(const Message& message) {
  std::set<std::string> texts;
  AddTexts(message, &texts);
  return texts;
}

bool Tells(const Message& message, const std::string& part) {
  const std::set<std::string> texts = TextsOf(message);
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return absl::StrContains(text, part); });
}

}  // namespace priorityd::rpc
