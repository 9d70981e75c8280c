// One server for all tests of a binary; each test has a cluster of its own.
#ifndef PRIORITYD_TESTS_END_TO_END_SHARED_PRIORITYD_H_
#define PRIORITYD_TESTS_END_TO_END_SHARED_PRIORITYD_H_

#include "tests/end_to_end/real_priorityd.h"

namespace priorityd {

// With an embedded PostgreSQL; started at the first call, stopped after the last test.
const RealPriorityd& SharedPriorityd();

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_SHARED_PRIORITYD_H_
