// Starts other programs.
#ifndef STORAGE_EMBEDDED_POSTGRES_CHILD_PROCESS_H_
#define STORAGE_EMBEDDED_POSTGRES_CHILD_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace priorityd::storage {

struct Command {
  std::vector<std::string> arguments;  // the first is the program, looked up in PATH
  std::string output_path;             // a file that its output is appended to
};

// Starts it in a process group of its own (so that Ctrl-C does not reach it), in
// the directory "/", with no open files of ours, default signals and a small
// fixed environment. The caller waits for the pid.
absl::StatusOr<pid_t> Spawn(const Command& command);

// Starts it and waits for it. INTERNAL, with how it ended, unless it exits
// with 0.
absl::Status RunToEnd(const Command& command);

// "exited with 3" or "was killed by signal 9", from waitpid's status.
std::string DescribeExit(int wait_status);

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_CHILD_PROCESS_H_
