// Jobs and texts that a real Slurm showed.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_JOBS_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_JOBS_H_

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "engine/slurm/words/array_task_ids.h"
#include "engine/slurm/words/time_string.h"
#include "priority/v1/queue.pb.h"
#include "tests/slurm/transcript.h"

namespace priorityd::jobs {

namespace v1 = ::priority::v1;
using Lines = std::vector<std::string>;

// What was printed for a command, of a transcript in tests/slurm/captured.
inline Lines CapturedLines(const std::string& file, const std::string& command) {
  for (const TranscriptEntry& entry : ReadTranscript(file)) {
    if (entry.command != command) continue;
    return absl::StrSplit(absl::StripSuffix(entry.out, "\n"), '\n');
  }
  ADD_FAILURE() << "not captured: " << command;
  return {};
}

inline google::protobuf::Timestamp CapturedTime(const std::string& text) {
  google::protobuf::Timestamp time;
  absl::Time read;
  if (absl::ParseTime("%Y-%m-%dT%H:%M:%S", text, absl::LocalTimeZone(), &read, nullptr)) {
    time.set_seconds(absl::ToUnixSeconds(read));
  }
  return time;
}

// The jobs of the captured queue, by the columns with most of their fields.
inline v1::ListJobsResponse CapturedJobs() {
  const Lines first = CapturedLines(
      "squeue.txt", "squeue -o \"%i|%P|%j|%u|%a|%q|%T|%t|%M|%l|%D|%C|%p|%Q|%r|%R|%S\"");
  const Lines second = CapturedLines(
      "squeue.txt",
      "squeue -o "
      "\"%A|%F|%K|%B|%c|%d|%e|%E|%f|%g|%G|%h|%H|%I|%J|%k|%L|%m|%n|%N|%o|%O|%s|%U|%v|%V|%w|%W|%x|%X|"
      "%y|%Y|%z|%Z|%b\"");
  v1::ListJobsResponse response;
  EXPECT_EQ(first.size(), second.size());
  for (size_t i = 1; i < first.size() && i < second.size(); ++i) {
    const std::vector<std::string> a = absl::StrSplit(first[i], '|');
    const std::vector<std::string> b = absl::StrSplit(second[i], '|');
    v1::TrackedJob& tracked = *response.add_jobs();
    v1::Job& job = *tracked.mutable_job();
    job.set_job_id(b[0]);
    if (absl::StrContains(a[0], '[')) {
      job.set_array_task_ids(a[0].substr(a[0].find('[') + 1, a[0].size() - a[0].find('[') - 2));
    } else if (absl::StrContains(a[0], '_')) {
      job.set_array_job_id(b[1]);
      uint32_t task = 0;
      EXPECT_TRUE(absl::SimpleAtoi(b[2], &task));
      job.set_array_task_id(task);
    }
    for (const auto& name : absl::StrSplit(a[1], ',')) job.add_partitions(std::string(name));
    job.set_name(a[2]);
    job.set_user(a[3]);
    job.set_account(a[4]);
    job.add_qos(a[5]);
    job.set_state(a[6] == "RUNNING" ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_PENDING);
    const auto limit = slurm::ParseTimeString(a[9]);
    EXPECT_TRUE(limit.ok()) << a[9];
    job.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(*limit));
    uint32_t number = 0;
    EXPECT_TRUE(absl::SimpleAtoi(a[10], &number));
    job.set_nodes(number);
    EXPECT_TRUE(absl::SimpleAtoi(a[11], &number));
    job.set_cpus(number);
    EXPECT_TRUE(absl::SimpleAtoi(a[13], &number));
    tracked.set_priority(number);
    if (a[14] != "None") tracked.set_reason(a[14]);
    *job.mutable_submit_time() = CapturedTime(b[25]);
    int64_t nice = 0;
    EXPECT_TRUE(absl::SimpleAtoi(b[30], &nice));
    job.set_nice(nice);
    (*job.mutable_tres())["mem"] = 100;
  }
  return response;
}

}  // namespace priorityd::jobs

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_JOBS_CAPTURED_JOBS_H_
