#include "tests/failing_directories.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cerrno>

namespace {

thread_local int fails_with = 0;
thread_local int entries_left = 0;

}  // namespace

// Stands before the C library's in the program that this is linked into.
extern "C" dirent* readdir(DIR* directory) {
  static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(dlsym(RTLD_NEXT, "readdir"));
  if (fails_with != 0 && entries_left == 0) {
    errno = fails_with;
    return nullptr;
  }
  dirent* entry = real(directory);
  if (entry != nullptr && entry->d_name[0] != '.') --entries_left;
  return entry;
}

namespace priorityd {

FailingDirectories::FailingDirectories(int error) {
  entries_left = 1;
  fails_with = error;
}

FailingDirectories::~FailingDirectories() { fails_with = 0; }

}  // namespace priorityd
