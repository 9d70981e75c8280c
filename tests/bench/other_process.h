// Other processes of a benchmark: the threads of gRPC in one process wait for each other's
// connections, so that a part of what a caller beside another measures is its own.
#ifndef PRIORITYD_TESTS_BENCH_OTHER_PROCESS_H_
#define PRIORITYD_TESTS_BENCH_OTHER_PROCESS_H_

#include <cstdio>
#include <string>

namespace priorityd::bench {

// This program with other arguments, until the end of its input.
class OtherProcess {
 public:
  // `arguments`: for a shell.
  explicit OtherProcess(const std::string& arguments);
  ~OtherProcess();
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

 private:
  std::FILE* const input_;
};

// In the other process: sets the lowest CPU priority, because a real caller does not share the CPUs
// of the server.
void TakeLowestPriority();
void AwaitEndOfInput();
// Uses that many CPUs, without a call, until the end of the input.
void Burn(int cpus);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_OTHER_PROCESS_H_
