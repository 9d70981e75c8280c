#include "engine/forecast/backtest.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::forecast {
namespace {

struct Event {
  // Of a second: a job ends only after it started.
  enum Kind { kStart, kCancel, kEnd };
  Seconds time;
  Kind kind;
  size_t line;

  bool operator<(const Event& other) const {
    return std::tie(time, kind, line) < std::tie(other.time, other.kind, other.line);
  }
};

std::vector<size_t> InOrderOfSubmission(absl::Span<const RecordedJob> history) {
  std::vector<size_t> order;
  for (size_t i = 0; i < history.size(); ++i) {
    if (IsCountable(history[i].job)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return history[a].job.submit_time < history[b].job.submit_time;
  });
  return order;
}

std::vector<Event> EventsOf(absl::Span<const RecordedJob> history,
                            const std::vector<size_t>& order) {
  std::vector<Event> events;
  for (size_t line = 0; line < order.size(); ++line) {
    const RecordedJob& job = history[order[line]];
    const Seconds submit = job.job.submit_time;
    if (!job.start.has_value()) {
      if (job.cancel.has_value()) {
        events.push_back({std::max(*job.cancel, submit), Event::kCancel, line});
      }
      continue;
    }
    const Seconds start = std::max(*job.start, submit);
    events.push_back({start, Event::kStart, line});
    if (job.end.has_value()) events.push_back({std::max(*job.end, start), Event::kEnd, line});
  }
  std::sort(events.begin(), events.end());
  return events;
}

// A walk through a history.
class Walk {
 public:
  explicit Walk(const ForecasterOptions& options) : forecaster_(options) {}

  // `number`: of its line.
  void Submit(const RecordedJob& recorded, size_t index) {
    Job job = recorded.job;
    job.id = absl::StrCat(lines_.size());
    forecaster_.TrainIfDue(job.submit_time);
    forecaster_.Submit(job);
    const auto forecast = forecaster_.Forecast(job.id, job.submit_time, kLevels);
    BacktestLine line = {.job = index, .source = forecast->source, .model = forecast->model};
    std::copy(forecast->waits.begin(), forecast->waits.end(), line.waits.begin());
    lines_.push_back(line);
  }

  void Happen(const Event& event) {
    const std::string id = absl::StrCat(event.line);
    if (event.kind == Event::kEnd) {
      forecaster_.End(id, event.time);
    } else if (event.kind == Event::kCancel) {
      forecaster_.Cancel(id, event.time);
    } else if (const auto outcome = forecaster_.Start(id, event.time); outcome.has_value()) {
      lines_[event.line].scored = outcome->scored;
    }
  }

  size_t size() const { return lines_.size(); }
  std::vector<BacktestLine> TakeLines() { return std::move(lines_); }

 private:
  Forecaster forecaster_;
  std::vector<BacktestLine> lines_;
};

}  // namespace

std::vector<BacktestLine> Backtest(absl::Span<const RecordedJob> history,
                                   const ForecasterOptions& options,
                                   absl::FunctionRef<void(size_t lines)> progress) {
  const std::vector<size_t> order = InOrderOfSubmission(history);
  const std::vector<Event> events = EventsOf(history, order);
  Walk walk(options);
  auto event = events.begin();
  for (const size_t index : order) {
    const Seconds now = history[index].job.submit_time;
    for (; event != events.end() && event->time < now; ++event) walk.Happen(*event);
    walk.Submit(history[index], index);
    progress(walk.size());
  }
  for (; event != events.end(); ++event) walk.Happen(*event);
  return walk.TakeLines();
}

}  // namespace priorityd::forecast
