// The processor time of a benchmark and its database.
#ifndef PRIORITYD_TESTS_BENCH_PROCESSOR_TIME_H_
#define PRIORITYD_TESTS_BENCH_PROCESSOR_TIME_H_

#include <cstdint>
#include <map>

namespace priorityd::bench {

// Processor time since it was made: of this process, and of the processes below it, such as
// PostgreSQL's, that run at both times. Unlike the time of day it does not depend on what else
// runs, except by caches.
class ProcessorStopwatch {
 public:
  ProcessorStopwatch() : begin_(Now()) {}

  double Seconds() const { return OwnSeconds() + SecondsBelow(); }
  double OwnSeconds() const;
  double SecondsBelow() const;

 private:
  struct Times {
    int64_t own = 0;               // In nanoseconds.
    std::map<int, int64_t> below;  // The same by process.
  };

  static Times Now();

  Times begin_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_PROCESSOR_TIME_H_
