// The least a server can do for many streams.
#ifndef PRIORITYD_TESTS_BENCH_FAN_OUT_H_
#define PRIORITYD_TESTS_BENCH_FAN_OUT_H_

#include <string>

namespace priorityd::bench {

// Listens at `address`, for ever. WatchRanking: writes `message`. UpdateJobs: answers,
// and has `message` written to each open WatchRanking.
void ServeFanOut(const std::string& address, const std::string& message);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_FAN_OUT_H_
