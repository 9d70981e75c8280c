// Jobs of a real machine, for tests that want usage as it really comes.
#ifndef PRIORITYD_TESTS_END_TO_END_TRACE_H_
#define PRIORITYD_TESTS_END_TO_END_TRACE_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd {

struct TraceJob {
  absl::Time start;
  absl::Duration length;
  int processors = 0;
  std::string user;     // u1 to u69, each in an account of its own,
  std::string account;  // a1 to a69,
  std::string group;    // which are below g1 and g2.
};

// `jobs` jobs: those of tests/testdata/traces, in the order of their starts, then
// all of them again, each time two hours and eleven minutes later than before, as
// often as it takes. REQUIRES: the test has //tests/testdata:traces in its data.
std::vector<TraceJob> ReadTrace(size_t jobs);

// When the first job starts.
absl::Time TraceBegin();

// Its site as a `sacctmgr dump` of a cluster of that name.
std::string TraceSite(const std::vector<TraceJob>& jobs, const std::string& cluster);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_TRACE_H_
