// Decayed usage by the definition: an integral, summed in small steps.
#ifndef PRIORITYD_TESTS_SERVER_RPC_NAIVE_USAGE_H_
#define PRIORITYD_TESTS_SERVER_RPC_NAIVE_USAGE_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::rpc {

// `rate` billing TRES over [start, end).
struct Stretch {
  absl::Time start;
  absl::Time end;
  double rate = 0;
};

// From `begin` until the next one.
struct Era {
  absl::Time begin;
  absl::Duration half_life;  // Infinite = no decay.
};

// How many half-lives lie between two times. `eras` are in order; the first holds
// for all the past.
inline double HalfLives(const std::vector<Era>& eras, absl::Time from, absl::Time to) {
  double half_lives = 0;
  for (size_t i = 0; i < eras.size(); ++i) {
    const absl::Time begin = i == 0 ? from : std::max(from, eras[i].begin);
    const absl::Time end = i + 1 < eras.size() ? std::min(to, eras[i + 1].begin) : to;
    if (begin < end) half_lives += absl::FDivDuration(end - begin, eras[i].half_life);
  }
  return half_lives;
}

// What `stretches` count at `at`, usage before `reset` not at all: Simpson's rule,
// good to 1e-10 where a piece is at most 15 half-lives long.
inline double NaiveUsage(const std::vector<Stretch>& stretches, const std::vector<Era>& eras,
                         absl::Time reset, absl::Time at) {
  constexpr int kSteps = 1000;  // Even.
  double sum = 0;
  for (const Stretch& stretch : stretches) {
    std::vector<absl::Time> cuts = {std::max(stretch.start, reset)};
    const absl::Time last = std::min(stretch.end, at);
    for (const Era& era : eras) {
      if (era.begin > cuts.back() && era.begin < last) cuts.push_back(era.begin);
    }
    cuts.push_back(last);
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] >= cuts[i + 1]) continue;
      const absl::Duration length = cuts[i + 1] - cuts[i];
      double weighted = 0;
      for (int step = 0; step <= kSteps; ++step) {
        const double weight = step == 0 || step == kSteps ? 1 : step % 2 == 1 ? 4 : 2;
        weighted += weight * std::exp2(-HalfLives(eras, cuts[i] + length * step / kSteps, at));
      }
      sum += stretch.rate * absl::ToDoubleSeconds(length) * weighted / (3 * kSteps);
    }
  }
  return sum;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_RPC_NAIVE_USAGE_H_
