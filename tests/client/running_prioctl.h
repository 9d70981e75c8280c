// The real prioctl while it runs.
#ifndef PRIORITYD_TESTS_CLIENT_RUNNING_PRIOCTL_H_
#define PRIORITYD_TESTS_CLIENT_RUNNING_PRIOCTL_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/client/run_prioctl.h"

namespace priorityd {

// prioctl with pipes for standard input and output. REQUIRES: the test has //client:prioctl in
// its data.
class RunningPrioctl {
 public:
  explicit RunningPrioctl(const std::vector<std::string>& arguments);
  // Kills it if it still runs.
  ~RunningPrioctl();

  void Write(const std::string& text);
  void CloseInput();
  // The next line of its output; what there is without an end at the end.
  std::string ReadLine();
  // As `head` does that has seen enough.
  void CloseOutput();
  void Signal(int signal);
  // What it has written to standard error so far.
  std::string Errors() const;
  // Waits for its end; `out` is what was not read yet.
  Finished Wait();

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string errors_;  // A file.
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_RUNNING_PRIOCTL_H_
