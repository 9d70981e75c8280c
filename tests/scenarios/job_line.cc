#include "tests/scenarios/job_line.h"

#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tests/scenarios/proto_time.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

// The value of an enum by its last words; a word that is none is left to be reported as
// an unknown argument.
template <typename Enum, typename Parse>
void ReadEnum(Arguments& arguments, const char* name, const char* prefix, Parse parse,
              void (v1::Job::*set)(Enum), v1::Job* job) {
  Arguments ahead = arguments;
  Enum value;
  const std::string word = ahead.Text(name);
  if (word.empty() || !parse(absl::StrCat(prefix, absl::AsciiStrToUpper(word)), &value)) return;
  arguments.Text(name);
  (job->*set)(value);
}

void ReadWho(Arguments& arguments, v1::Job* job) {
  job->set_job_id(arguments.Word("a job_id"));
  job->set_user(arguments.Text("user"));
  job->set_account(arguments.Text("account"));
  for (const std::string& name : arguments.List("partition")) job->add_partitions(name);
  for (const std::string& name : arguments.List("qos")) job->add_qos(name);
  job->set_name(arguments.Text("name"));
}

void ReadState(Arguments& arguments, v1::Job* job) {
  ReadEnum<v1::JobState>(arguments, "state", "JOB_STATE_", v1::JobState_Parse, &v1::Job::set_state,
                         job);
  ReadEnum<v1::Hold>(arguments, "hold", "HOLD_", v1::Hold_Parse, &v1::Job::set_hold, job);
  job->set_dependency(arguments.Text("dependency"));
  job->set_reservation(arguments.Text("reservation"));
  if (arguments.Flag("preemptor")) job->set_preemptor(true);
}

void ReadTimes(Arguments& arguments, std::optional<absl::Time> now, v1::Job* job) {
  if (arguments.Has("submit")) ToProto(arguments.Time("submit", now), job->mutable_submit_time());
  if (arguments.Has("eligible")) {
    ToProto(arguments.Time("eligible", now), job->mutable_eligible_time());
  }
  if (arguments.Has("start")) ToProto(arguments.Time("start", now), job->mutable_start_time());
  if (arguments.Has("end")) ToProto(arguments.Time("end", now), job->mutable_end_time());
  if (arguments.Has("time_limit")) {
    ToProto(arguments.Duration("time_limit"), job->mutable_time_limit());
  }
}

void ReadSize(Arguments& arguments, v1::Job* job) {
  job->set_nodes(static_cast<uint32_t>(arguments.Number("nodes")));
  job->set_cpus(arguments.Number("cpus"));
  for (const auto& [name, count] : arguments.Tres()) (*job->mutable_tres())[name] = count;
}

void ReadPriority(Arguments& arguments, v1::Job* job) {
  job->set_nice(static_cast<int64_t>(arguments.Number("nice")));
  job->set_site_factor(static_cast<int64_t>(arguments.Number("site_factor")));
  if (arguments.Has("admin_priority")) {
    job->set_admin_priority(static_cast<uint32_t>(arguments.Number("admin_priority")));
  }
}

}  // namespace

void ReadJob(Arguments& arguments, std::optional<absl::Time> now, v1::Job* job) {
  ReadWho(arguments, job);
  ReadState(arguments, job);
  ReadTimes(arguments, now, job);
  ReadSize(arguments, job);
  ReadPriority(arguments, job);
}

}  // namespace priorityd::scenarios
