#include "client/slurm/drive_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr char kHeading[] = "priorityd-slurm 1: job, value, before, nice";

absl::Status Violation(const std::string& path, int line, const std::string& got) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " line ", line, ": got \"", got, "\", want a job id and three numbers"));
}

absl::Status CannotRead(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
}

absl::Status CannotWrite(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
}

bool WriteWhole(int file, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = write(file, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<size_t>(put);
  }
  return fsync(file) == 0;
}

// A renamed file is on disk once its folder is.
bool SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = fsync(file) == 0;
  return close(file) == 0 && synced;
}

}  // namespace

absl::StatusOr<DrivenJobs> ReadDriveState(const std::string& path) {
  DrivenJobs jobs;
  std::ifstream file(path);
  if (!file.is_open() && errno == ENOENT) return jobs;
  if (!file.is_open()) return CannotRead(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line == kHeading) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    DrivenJob job;
    if (words.size() != 4 || !absl::SimpleAtoi(words[1], &job.value) ||
        !absl::SimpleAtoi(words[2], &job.before) || !absl::SimpleAtoi(words[3], &job.nice)) {
      return Violation(path, number, line);
    }
    jobs[words[0]] = job;
  }
  if (file.bad()) return CannotRead(path);
  return jobs;
}

absl::Status WriteDriveState(const std::string& path, const DrivenJobs& jobs) {
  std::string text = absl::StrCat(kHeading, "\n");
  for (const auto& [id, job] : jobs) {
    absl::StrAppend(&text, id, " ", job.value, " ", job.before, " ", job.nice, "\n");
  }
  const std::string fresh = path + ".new";
  const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return CannotWrite(fresh);
  const bool written = WriteWhole(file, text);
  if (close(file) != 0 || !written) return CannotWrite(fresh);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return CannotWrite(path);
  return SyncFolderOf(path) ? absl::OkStatus() : CannotWrite(path);
}

}  // namespace priorityd::slurm_frontend
