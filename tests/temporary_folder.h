// A folder for the length of a test or a benchmark.
#ifndef PRIORITYD_TESTS_TEMPORARY_FOLDER_H_
#define PRIORITYD_TESTS_TEMPORARY_FOLDER_H_

#include <string>

namespace priorityd {

// Made empty, removed with all that is in it at the end. Other users can look
// through it: by root PostgreSQL runs as somebody else.
class TemporaryFolder {
 public:
  // In the folder that Bazel gives a test; in /tmp without one, and by root.
  TemporaryFolder();
  // In `parent`, for users of a short path. Ends the program if it cannot be created.
  explicit TemporaryFolder(const std::string& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_TEMPORARY_FOLDER_H_
