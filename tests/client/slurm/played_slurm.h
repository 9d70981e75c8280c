// What a real Slurm printed, pass by pass, played back.
#ifndef PRIORITYD_TESTS_CLIENT_SLURM_PLAYED_SLURM_H_
#define PRIORITYD_TESTS_CLIENT_SLURM_PLAYED_SLURM_H_

#include <map>
#include <string>
#include <vector>

#include "client/slurm/commands.h"

namespace priorityd {

// A transcript of tests/slurm/observe. Not thread-safe.
class PlayedSlurm {
 public:
  // tests/slurm/captured/NAME, packed by gzip.
  explicit PlayedSlurm(const std::string& name);

  int passes() const { return static_cast<int>(passes_.size()); }
  // From now on commands print what they printed then, from 1.
  void Play(int pass) { pass_ = pass; }

  // What a command printed last, up to the pass that is played. A command that was not captured
  // fails the test.
  slurm_frontend::RunCommand Runner();
  const std::string& Printed(const std::string& command) const;

  // The commands that were run, in their order.
  const std::vector<std::string>& ran() const { return ran_; }

 private:
  std::vector<std::map<std::string, std::string>> passes_;  // by command
  std::vector<std::string> ran_;
  int pass_ = 1;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_SLURM_PLAYED_SLURM_H_
