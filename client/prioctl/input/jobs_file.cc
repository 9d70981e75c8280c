#include "client/prioctl/input/jobs_file.h"

#include "absl/strings/str_cat.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"

namespace priorityd::prioctl {

absl::StatusOr<::priority::v1::InlineJobs> ReadJobs(const std::string& path) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  JsonLinesReader reader(&file->stream(), file->name());
  ::priority::v1::InlineJobs jobs;
  ::priority::v1::Job job;
  absl::StatusOr<bool> more = reader.Next(&job);
  for (; more.ok() && *more; more = reader.Next(&job)) {
    if (job.job_id().empty()) {
      return absl::InvalidArgumentError(absl::StrCat(file->name(), " line ", reader.line_number(),
                                                     ": jobId: got none, want the job's id"));
    }
    *jobs.add_jobs() = std::move(job);
  }
  if (!more.ok()) return more.status();
  return jobs;
}

}  // namespace priorityd::prioctl
