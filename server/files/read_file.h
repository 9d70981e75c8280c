// Reads a file into memory.
#ifndef PRIORITYD_SERVER_FILES_READ_FILE_H_
#define PRIORITYD_SERVER_FILES_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace priorityd::files {

// The whole content. Errors of open(2) and read(2), such as NOT_FOUND: `PATH: No such file or
// directory`. An iterator over a stream throws instead where reading fails: a directory, a file
// server that is away.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace priorityd::files

#endif  // PRIORITYD_SERVER_FILES_READ_FILE_H_
