#include "tests/temporary_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace priorityd {
namespace {

// By root PostgreSQL runs as another user, who cannot look into root's home, where
// Bazel has its folders. In Bazel's Linux sandbox tests are not root; it has no such
// sandbox without user namespaces, as in many containers.
std::string Parent() {
  const char* folder = std::getenv("TEST_TMPDIR");
  return folder == nullptr || geteuid() == 0 ? "/tmp" : folder;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(Parent()) {}

TemporaryFolder::TemporaryFolder(const std::string& parent) : path_(parent + "/test-XXXXXX") {
  if (mkdtemp(path_.data()) != nullptr && chmod(path_.c_str(), 0755) == 0) return;
  std::perror(path_.c_str());
  std::abort();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace priorityd
