// Decayed usage by the definition: an integral, summed in small steps.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_NAIVE_USAGE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_NAIVE_USAGE_H_

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

// One unit per second over [from, to), at `at`: Simpson's rule in steps of at most
// a hundredth of a half-life, good to 1e-10. REQUIRES: one half-life throughout.
inline double NaivePiece(const std::vector<Era>& eras, absl::Time from, absl::Time to,
                         absl::Time at) {
  const int steps = 2 * static_cast<int>(std::ceil(50 * HalfLives(eras, from, to)) + 1);  // Even.
  const absl::Duration length = to - from;
  double weighted = 0;
  for (int step = 0; step <= steps; ++step) {
    const double weight = step == 0 || step == steps ? 1 : step % 2 == 1 ? 4 : 2;
    weighted += weight * std::exp2(-HalfLives(eras, from + length * step / steps, at));
  }
  return absl::ToDoubleSeconds(length) * weighted / (3 * steps);
}

// What `stretches` count at `at`, usage before `reset` not at all.
inline double NaiveUsage(const std::vector<Stretch>& stretches, const std::vector<Era>& eras,
                         absl::Time reset, absl::Time at) {
  double sum = 0;
  for (const Stretch& stretch : stretches) {
    std::vector<absl::Time> cuts = {std::max(stretch.start, reset)};
    const absl::Time last = std::min(stretch.end, at);
    for (const Era& era : eras) {
      if (era.begin > cuts.back() && era.begin < last) cuts.push_back(era.begin);
    }
    cuts.push_back(last);
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] < cuts[i + 1]) {
        sum += stretch.rate * NaivePiece(eras, cuts[i], cuts[i + 1], at);
      }
    }
  }
  return sum;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_NAIVE_USAGE_H_
