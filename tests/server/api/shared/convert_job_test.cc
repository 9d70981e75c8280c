#include "server/api/shared/convert_job.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using google::protobuf::FieldDescriptor;

// Sets a field to a value that is not its default.
void Set(const FieldDescriptor* field, v1::Job* job) {
  const google::protobuf::Reflection& reflection = *job->GetReflection();
  const std::string text = field->name() == "array_task_ids" ? "1-3" : "x";
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      field->is_repeated() ? reflection.AddString(job, field, text)
                           : reflection.SetString(job, field, text);
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(job, field, 2);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(job, field, true);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.SetDouble(job, field, 0.5);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(job, field, 3);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(job, field, -3);
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      if (field->is_map()) {
        (*job->mutable_tres())["gres/gpu"] = 3;
        return;
      }
      google::protobuf::Message* message = reflection.MutableMessage(job, field);
      message->GetReflection()->SetInt64(message,
                                         message->GetDescriptor()->FindFieldByName("seconds"), 3);
      return;
    }
    default:
      ADD_FAILURE() << field->name() << ": a field of a kind without value here";
  }
}

v1::Job Only(const FieldDescriptor* kept, v1::Job job) {
  for (int i = 0; i < job.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = job.GetDescriptor()->field(i);
    if (field != kept) job.GetReflection()->ClearField(&job, field);
  }
  return job;
}

TEST(ConvertJobTest, EveryFieldOfAJobIsReadAndWritten) {
  for (int i = 0; i < v1::Job::descriptor()->field_count(); ++i) {
    const FieldDescriptor* field = v1::Job::descriptor()->field(i);
    v1::Job sent;
    sent.set_job_id("1");
    sent.set_user("ann");
    Set(field, &sent);
    JobReader reader;
    queue::TrackedJob job;
    reader.Read(sent, &job);
    EXPECT_EQ(job.job.violation, "") << field->name();
    v1::TrackedJob written;
    ToProto(job, &written);
    EXPECT_EQ(Only(field, written.job()).ShortDebugString(), Only(field, sent).ShortDebugString());
    EXPECT_NE(Only(field, sent).ByteSizeLong(), 0u) << field->name();
  }
}

TEST(ConvertJobTest, EveryTextOfAJobHasABound) {
  for (int i = 0; i < v1::Job::descriptor()->field_count(); ++i) {
    const FieldDescriptor* field = v1::Job::descriptor()->field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    v1::Job sent;
    sent.set_job_id("1");
    sent.set_user("ann");
    const std::string longest(1 << 20, 'x');
    field->is_repeated() ? sent.GetReflection()->AddString(&sent, field, longest)
                         : sent.GetReflection()->SetString(&sent, field, longest);
    JobReader reader;
    priority::Job job;
    reader.Read(sent, &job);
    EXPECT_NE(job.violation.find("got 1048576 bytes"), absl::string_view::npos) << field->name();
  }
}

TEST(ConvertJobTest, ATimeLimitOutOfRangeNamesBothBounds) {
  v1::Job sent;
  sent.set_job_id("1");
  sent.set_user("ann");
  const auto violation = [&sent](int64_t seconds) {
    sent.mutable_time_limit()->set_seconds(seconds);
    JobReader reader;
    priority::Job job;
    reader.Read(sent, &job);
    return std::string(job.violation);
  };
  EXPECT_EQ(violation(1'000'000'000'000),
            "time_limit: got 1000000000000 s and 0 ns, want 0 to 315576000000 s");
  EXPECT_EQ(violation(-1), "time_limit: got -1 s and 0 ns, want 0 to 315576000000 s");
  EXPECT_EQ(violation(315'576'000'000), "");
  EXPECT_EQ(violation(0), "");
}

TEST(ConvertJobTest, EveryAmountOfAJobHasABound) {
  const auto violation = [](const char* tres, double amount) {
    v1::Job sent;
    sent.set_job_id("1");
    sent.set_user("ann");
    if (tres == nullptr) {
      sent.set_cpus(amount);
    } else {
      (*sent.mutable_tres())[tres] = amount;
    }
    JobReader reader;
    priority::Job job;
    reader.Read(sent, &job);
    return std::string(job.violation);
  };
  EXPECT_EQ(violation(nullptr, 1e12), "");
  EXPECT_EQ(violation(nullptr, 1.5e12), "cpus: got 1.5e+12, want at most 1e12");
  EXPECT_EQ(violation(nullptr, 1e300), "cpus: got 1e+300, want at most 1e12");
  EXPECT_EQ(violation(nullptr, -1), "cpus: got -1, want a finite number of at least 0");
  EXPECT_EQ(violation("cpu", 1e12), "");
  EXPECT_EQ(violation("CPU", 1e13), "tres[\"CPU\"]: got 1e+13, want at most 1e12");
  EXPECT_EQ(violation("node", 1e13), "tres[\"node\"]: got 1e+13, want at most 1e12");
  EXPECT_EQ(violation("gres/tmpspace", 1e18), "") << "an exabyte, counted in bytes";
  EXPECT_EQ(violation("mem", 1e19), "tres[\"mem\"]: got 1e+19, want at most 1e18");
}

TEST(ConvertJobTest, AnEndedJobIsOfATrackedQueueOnly) {
  v1::Job sent;
  sent.set_job_id("1");
  sent.set_user("ann");
  sent.set_state(v1::JOB_STATE_TIMEOUT);
  JobReader reader;
  queue::TrackedJob tracked;
  reader.Read(sent, &tracked);
  EXPECT_EQ(tracked.job.violation, "");
  EXPECT_EQ(tracked.end, queue::JobEnd::kTimeout);
  priority::Job inlined;
  reader.Read(sent, &inlined);
  EXPECT_EQ(inlined.violation,
            "state: got JOB_STATE_TIMEOUT, want JOB_STATE_PENDING, _RUNNING or _SUSPENDED");
}

}  // namespace
}  // namespace priorityd::rpc
