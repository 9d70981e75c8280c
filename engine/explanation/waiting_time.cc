#include "engine/explanation/waiting_time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/explanation/bisection.h"

namespace priorityd::explanation {
namespace {

// Waits are whole microseconds here. The priority of neither row ever falls.
class Search {
 public:
  explicit Search(const RowPair& pair) : pair_(pair) {}

  std::optional<absl::Duration> Run() const {
    const std::vector<int64_t> times = Times();
    if (!Turned(times.back())) return std::nullopt;
    for (size_t i = times.size() - 1; i > 0; --i) {
      if (const auto wait = LastTurn(times[i - 1], times[i])) return absl::Microseconds(*wait);
    }
    return std::nullopt;
  }

 private:
  PairInputs At(int64_t wait) const {
    PairInputs inputs = pair_.inputs();
    inputs.waited = absl::Microseconds(wait);
    return inputs;
  }
  bool Turned(int64_t wait) const { return pair_.Turned(At(wait)); }
  uint32_t FirstsPriority(int64_t wait) const { return pair_.Priority(0, At(wait)); }

  // The waits at which an age begins to count or counts in full, and 0: between two of them each
  // priority is linear or constant.
  std::vector<int64_t> Times() const {
    std::vector<int64_t> times = {0};
    for (const int side : {0, 1}) {
      for (const absl::Duration wait : {pair_.AgeBegins(side), pair_.AgeIsFull(side)}) {
        if (wait > absl::ZeroDuration() && wait < absl::InfiniteDuration()) {
          times.push_back(absl::ToInt64Microseconds(absl::Ceil(wait, absl::Microseconds(1))));
        }
      }
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  // The wait in (begin, end] at which the order is reversed for the last time; nullopt = it is
  // reversed during the whole interval. REQUIRES: Turned(end).
  //
  // While the priority of the first row is constant, a reversed order stays reversed; so the search
  // goes backwards over the steps of that priority. If both priorities rise at the same rate, a
  // lead of less than a point is lost within one step; a longer lead is lost only if a bound limits
  // a priority.
  std::optional<int64_t> LastTurn(int64_t begin, int64_t end) const {
    constexpr int kSteps = 4;
    const auto turned = [this](int64_t wait) { return Turned(wait); };
    for (int step = 0; step < kSteps && end > begin; ++step) {
      const int64_t step_begin = BeginOfStep(begin, end);
      if (!Turned(step_begin)) return FirstThatHolds(step_begin, end, turned);
      if (step_begin == begin) return std::nullopt;
      if (!Turned(step_begin - 1)) return step_begin;
      end = step_begin - 1;
    }
    if (Turned(begin)) return std::nullopt;
    return FirstThatHolds(begin, end, turned);
  }

  // The wait in [begin, end] from which the first row has the priority that it has at `end`.
  int64_t BeginOfStep(int64_t begin, int64_t end) const {
    const uint32_t priority = FirstsPriority(end);
    if (FirstsPriority(begin) == priority) return begin;
    return FirstThatHolds(begin, end,
                          [&](int64_t wait) { return FirstsPriority(wait) == priority; });
  }

  const RowPair& pair_;
};

}  // namespace

std::optional<absl::Duration> WaitingTimeToTurn(const RowPair& pair) { return Search(pair).Run(); }

}  // namespace priorityd::explanation
