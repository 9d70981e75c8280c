// What users may set of jobs, field by field over gRPC: whatever they send, no job of theirs comes
// to stand further to the front than by what a user may choose, and none that runs changes.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/queue/state/job_field_rules.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using google::protobuf::FieldDescriptor;
using Set = std::function<void(v1::Job*)>;

constexpr int kNowhere = std::numeric_limits<int>::max();

// What a user may choose of a job of their own that waits, and may stand further to the front by,
// as with sbatch and scontrol: where they are charged and what they ask for. Each of these is
// judged when it is sent, by associations and limits.
const std::set<std::string> kChoices = {
    "account",                                   // Another one of theirs, with its share.
    "partitions",                                // One that takes them, with its tier.
    "qos",                                       // One that they are allowed, with its priority.
    "nodes",      "cpus", "tres", "time_limit",  // More or less of it: the job size factor.
};

std::vector<const FieldDescriptor*> JobApiFields() {
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < v1::Job::descriptor()->field_count(); ++i) {
    fields.push_back(v1::Job::descriptor()->field(i));
  }
  return fields;
}

Set OfText(const FieldDescriptor* field, const std::string& text) {
  return [=](v1::Job* job) {
    const auto& reflection = *job->GetReflection();
    field->is_repeated() ? reflection.AddString(job, field, text)
                         : reflection.SetString(job, field, text);
  };
}

template <typename Value, typename Setter>
Set OfValue(const FieldDescriptor* field, Value value, Setter setter) {
  return [=](v1::Job* job) { (job->GetReflection()->*setter)(job, field, value); };
}

Set OfMessage(const FieldDescriptor* field, int64_t seconds) {
  return [=](v1::Job* job) {
    google::protobuf::Message* message = job->GetReflection()->MutableMessage(job, field);
    message->GetReflection()->SetInt64(
        message, message->GetDescriptor()->FindFieldByName("seconds"), seconds);
  };
}

std::vector<Set> EnumsOf(const FieldDescriptor* field) {
  using google::protobuf::Reflection;
  std::vector<Set> values;
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    values.push_back(
        OfValue(field, field->enum_type()->value(i)->number(), &Reflection::SetEnumValue));
  }
  return values;
}

std::vector<Set> MessagesOf(const FieldDescriptor* field) {
  if (field->is_map()) {
    return {[](v1::Job* job) { (*job->mutable_tres())["cpu"] = 100; },
            [](v1::Job* job) { (*job->mutable_tres())["gres/gpu"] = 8; }};
  }
  const int64_t now = absl::ToUnixSeconds(TestEpoch());
  const bool is_time = field->message_type()->name() == "Timestamp";
  std::vector<Set> values;
  for (const int64_t seconds : {int64_t{1}, int64_t{864'000}}) {
    values.push_back(OfMessage(field, is_time ? now - seconds : seconds));
    if (is_time) values.push_back(OfMessage(field, now + seconds));
  }
  return values;
}

// Some of each kind: low, high, and those of other jobs and users.
std::vector<Set> ValuesOf(const FieldDescriptor* field) {
  using google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (field->name() == "job_id") {
        return {OfText(field, "x"), OfText(field, "job-amy"), OfText(field, "job-ben"),
                OfText(field, "job-cat")};
      }
      return {OfText(field, "x"),   OfText(field, "job-cat"), OfText(field, "cat"),
              OfText(field, "amy"), OfText(field, "main"),    OfText(field, "double"),
              OfText(field, "0-3"), OfText(field, "b"),       OfText(field, "after:job-cat")};
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumsOf(field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessagesOf(field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return {OfValue(field, true, &Reflection::SetBool),
              OfValue(field, false, &Reflection::SetBool)};
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return {OfValue(field, 1e-7, &Reflection::SetDouble),
              OfValue(field, 100., &Reflection::SetDouble)};
    case FieldDescriptor::CPPTYPE_UINT32:
      return {OfValue(field, 0u, &Reflection::SetUInt32),
              OfValue(field, 5u, &Reflection::SetUInt32),
              OfValue(field, 4294967295u, &Reflection::SetUInt32)};
    case FieldDescriptor::CPPTYPE_INT64:
      return {OfValue(field, int64_t{-1'000'000}, &Reflection::SetInt64),
              OfValue(field, int64_t{4}, &Reflection::SetInt64),
              OfValue(field, int64_t{1'000'000}, &Reflection::SetInt64)};
    default:
      ADD_FAILURE() << field->name() << ": a field of a kind without values here";
      return {};
  }
}

class JobFieldsTest : public ::testing::Test {
 protected:
  JobFieldsTest() {
    // Whose jobs stand last has the most to gain.
    int last = 0;
    for (const char* user : {"amy", "ben", "cat"}) {
      const int rank = RankOf(absl::StrCat("job-", user));
      if (rank > last && rank != kNowhere) {
        last = rank;
        user_ = user;
      }
    }
    EXPECT_GT(last, 1);
  }

  v1::JobUpdateResult Upsert(const std::string& who, const v1::Job& job,
                             const std::string& mask = "") {
    v1::UpdateJobsRequest request = Upserts({job});
    if (!mask.empty()) request.mutable_update_mask()->add_paths(mask);
    grpc::Status status;
    const auto response =
        site_.Call<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs", request, &status);
    return status.ok() ? response.upserts(0) : v1::JobUpdateResult();
  }

  void Remove(const std::string& job_id) {
    site_.Call<v1::UpdateJobsResponse>("root", "PriorityService/UpdateJobs", Removal(job_id));
  }

  v1::TrackedJob Listed(const std::string& job_id) {
    v1::ListJobsRequest request;
    request.add_job_ids(job_id);
    request.set_with_ranking(true);
    const auto list = site_.Call<v1::ListJobsResponse>("ope", "PriorityService/ListJobs", request);
    return list.jobs_size() == 1 ? list.jobs(0) : v1::TrackedJob();
  }

  // 0 = it runs; kNowhere = it has none, or has ended.
  int RankOf(const std::string& job_id) {
    const v1::TrackedJob job = Listed(job_id);
    const bool runs =
        job.job().state() == v1::JOB_STATE_RUNNING || job.job().state() == v1::JOB_STATE_SUSPENDED;
    if (runs) return 0;
    return job.rank() == 0 ? kNowhere : static_cast<int>(job.rank());
  }

  v1::Job Mine() const { return JobOf("mine", user_); }

  // Sends `job` with each value of each field, by itself and as an update of the field alone, to
  // what `begin` leaves.
  void ForEach(const v1::Job& job, const std::function<void()>& begin,
               const std::function<void(const FieldDescriptor&)>& check) {
    for (const FieldDescriptor* field : JobApiFields()) {
      for (const Set& set : ValuesOf(field)) {
        for (const std::string& mask : {std::string(), field->name()}) {
          begin();
          v1::Job changed = job;
          set(&changed);
          // Another job of theirs, which they may put back, so that this one comes forward.
          if (changed.job_id() == absl::StrCat("job-", user_)) continue;
          Upsert(user_, changed, mask);
          SCOPED_TRACE(absl::StrCat(field->name(), " ", changed.ShortDebugString()));
          check(*field);
          if (changed.job_id() == "x") Remove("x");
        }
      }
    }
  }

  PrivateSite site_;
  std::string user_;
};

TEST(JobFieldRules, EveryFieldOfTheApiHasAClass) {
  std::set<std::string> classified;
  for (const queue::JobFieldRule& rule : queue::JobFieldRules()) {
    if (!rule.name.empty()) classified.insert(std::string(rule.name));
  }
  std::set<std::string> fields;
  for (const FieldDescriptor* field : JobApiFields()) fields.insert(field->name());
  EXPECT_EQ(classified, fields);
}

TEST_F(JobFieldsTest, NoFieldBringsANewJobForward) {
  Upsert(user_, Mine());
  const int plain = RankOf("mine");
  ASSERT_NE(plain, kNowhere);
  ForEach(
      Mine(), [this] { Remove("mine"); },
      [&](const FieldDescriptor& field) {
        if (kChoices.contains(field.name())) return;
        EXPECT_GE(RankOf("mine"), plain);
      });
}

TEST_F(JobFieldsTest, NoFieldBringsAJobForwardThatWaits) {
  v1::Job held_back = Mine();
  held_back.set_nice(9);
  held_back.set_site_factor(-5);
  held_back.set_preemptor(false);
  Upsert("frontend", held_back);
  const int plain = RankOf("mine");
  ASSERT_NE(plain, kNowhere);
  ForEach(
      held_back,
      [&] {
        Remove("mine");
        Upsert("frontend", held_back);
      },
      [&](const FieldDescriptor& field) {
        // A user may lower a nice value of their own again, down to 0.
        if (kChoices.contains(field.name()) || field.name() == "nice") return;
        EXPECT_GE(RankOf("mine"), plain);
      });
}

TEST_F(JobFieldsTest, AReservationIsTheFrontends) {
  v1::Job job = Mine();
  job.set_reservation("anything");
  const v1::JobUpdateResult refused = Upsert(user_, job);
  EXPECT_EQ(refused.reason(), "AccessDenied");
  EXPECT_EQ(refused.field(), "reservation");
  EXPECT_EQ(Upsert("frontend", job).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(RankOf("mine"), 1);
}

TEST_F(JobFieldsTest, OfAJobThatRunsOnlyTheLimitAndTheNiceValueChange) {
  v1::Job runs = Mine();
  runs.set_state(v1::JOB_STATE_RUNNING);
  runs.mutable_time_limit()->set_seconds(3600);
  runs.set_nice(3);
  *runs.mutable_start_time() = ToTimestamp(TestEpoch());
  Upsert("frontend", runs);
  const std::string before = Listed("mine").job().SerializeAsString();
  std::set<std::string> changed;
  ForEach(
      runs,
      [&] {
        Remove("mine");
        Upsert("frontend", runs);
      },
      [&](const FieldDescriptor& field) {
        const v1::Job now = Listed("mine").job();
        if (now.SerializeAsString() == before) return;
        changed.insert(field.name());
        EXPECT_LE(now.time_limit().seconds(), 3600);
        EXPECT_GE(now.nice(), 3);
        EXPECT_EQ(now.state(), v1::JOB_STATE_RUNNING);
      });
  EXPECT_EQ(changed, (std::set<std::string>{"nice", "time_limit"}));
}

TEST_F(JobFieldsTest, AJobThatRunsIsNeitherRemovedNorCancelledByItsUser) {
  v1::Job job = Mine();
  job.set_state(v1::JOB_STATE_RUNNING);
  Upsert("frontend", job);
  const auto response =
      site_.Call<v1::UpdateJobsResponse>(user_, "PriorityService/UpdateJobs", Removal("mine"));
  EXPECT_EQ(response.removals(0).reason(), "AccessDenied");
  EXPECT_EQ(response.removals(0).message(),
            "job_id: got a running job, which only its frontend or an operator may remove; cancel "
            "it with the command of its frontend");
  job.set_state(v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(Upsert(user_, job).field(), "state");
  job.clear_state();
  EXPECT_EQ(Upsert(user_, job).outcome(), v1::UPDATE_OUTCOME_UNCHANGED);
  EXPECT_EQ(Upsert("frontend", job).outcome(), v1::UPDATE_OUTCOME_UNCHANGED);
  EXPECT_EQ(Listed("mine").job().state(), v1::JOB_STATE_RUNNING);
  job.set_state(v1::JOB_STATE_PENDING);
  EXPECT_EQ(Upsert(user_, job).field(), "state");
  EXPECT_EQ(Upsert("frontend", job).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

}  // namespace
}  // namespace priorityd::rpc
