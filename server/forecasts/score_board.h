// The quality of a cluster's past forecasts, in all and by group.
#ifndef PRIORITYD_SERVER_FORECASTS_SCORE_BOARD_H_
#define PRIORITYD_SERVER_FORECASTS_SCORE_BOARD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/btree_map.h"
#include "engine/forecast/forecaster.h"
#include "engine/forecast/score.h"

namespace priorityd::forecasts {

// The last forecasts, and those that held: the job started within the interval of 80 %.
struct Recent {
  int64_t held = 0;
  int64_t count = 0;
  int64_t above_q90 = 0;  // Of `count`: those that started later.
};

// Not thread-safe.
class ScoreBoard {
 public:
  static constexpr size_t kMostRecent = 1'000;
  static constexpr size_t kMostGroups = 2'000;  // Later ones count in the total only.

  // A job started at that Unix time.
  void Add(const forecast::Outcome& outcome, int64_t at);

  const forecast::Score& total() const { return total_; }
  // By group, `partition=batch`, `size=9-32 CPUs`, `limit=1-4 h`, `user=ann`; in their order.
  const absl::btree_map<std::string, forecast::Score>& groups() const { return groups_; }
  const Recent& recent() const { return recent_; }
  int64_t last_start() const { return last_start_; }  // Unix time; 0 = none.

 private:
  enum class Hit : uint8_t { kHeld, kBelow, kAbove };

  void AddRecent(Hit hit);
  void Count(Hit hit, int64_t by);

  forecast::Score total_;
  absl::btree_map<std::string, forecast::Score> groups_;
  std::deque<Hit> last_;
  Recent recent_;
  int64_t last_start_ = 0;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_SCORE_BOARD_H_
