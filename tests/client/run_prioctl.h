// Runs the real prioctl, and other programs.
#ifndef PRIORITYD_TESTS_CLIENT_RUN_PRIOCTL_H_
#define PRIORITYD_TESTS_CLIENT_RUN_PRIOCTL_H_

#include <string>
#include <vector>

namespace priorityd {

// What a run left behind.
struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// Runs prioctl with these arguments and waits for its end; `in` is its standard
// input. Called under `name`, through a link, where that is not prioctl.
// REQUIRES: the test has //client:prioctl in its data.
Finished RunPrioctl(const std::vector<std::string>& arguments, const std::string& in = "",
                    const std::string& name = "prioctl");

// Runs another program in the same way, also while others run. REQUIRES: the test has it in its
// data, at `program`.
Finished RunProgram(const std::string& program, const std::vector<std::string>& arguments,
                    const std::string& in = "");

// Writes a file into the test's temporary folder and returns its path.
std::string WriteFile(const std::string& name, const std::string& content);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_RUN_PRIOCTL_H_
