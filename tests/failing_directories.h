// Directories that cannot be read to their end, as on a file server that is away.
#ifndef PRIORITYD_TESTS_FAILING_DIRECTORIES_H_
#define PRIORITYD_TESTS_FAILING_DIRECTORIES_H_

namespace priorityd {

// Until the end of the scope this thread reads one entry of the directories that it opens; each
// further read fails with `error`, a value of errno. One at a time in a thread.
class FailingDirectories {
 public:
  explicit FailingDirectories(int error);
  ~FailingDirectories();
  FailingDirectories(const FailingDirectories&) = delete;
  FailingDirectories& operator=(const FailingDirectories&) = delete;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_FAILING_DIRECTORIES_H_
