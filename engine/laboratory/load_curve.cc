#include "engine/laboratory/load_curve.h"

#include <algorithm>
#include <cstddef>

namespace priorityd::laboratory {
namespace {

// Adds `height` for [from, to), both in parts of the period, to the means of its parts.
void Add(double from, double to, double height, std::vector<double>* parts) {
  from = std::clamp(from, 0.0, static_cast<double>(parts->size()));
  to = std::clamp(to, 0.0, static_cast<double>(parts->size()));
  for (auto part = static_cast<size_t>(from); part < parts->size() && part < to; ++part) {
    const double begin = std::max(from, static_cast<double>(part));
    const double end = std::min(to, static_cast<double>(part + 1));
    (*parts)[part] += height * std::max(0.0, end - begin);
  }
}

}  // namespace

LoadCurve LoadOf(absl::Span<const HistoryJob> jobs, const Schedule& schedule, const Period& period,
                 int parts) {
  LoadCurve curve{std::vector<double>(parts, 0), std::vector<double>(parts, 0)};
  const absl::Duration width = (period.end - period.begin) / parts;
  if (width <= absl::ZeroDuration()) return curve;
  const auto place = [&](absl::Time time) {
    return absl::FDivDuration(time - period.begin, width);
  };
  for (size_t i = 0; i < jobs.size(); ++i) {
    const HistoryJob& job = jobs[i];
    const absl::Time start = schedule.starts[i].value_or(period.end);
    Add(place(job.eligible), place(start), 1, &curve.waiting);
    if (!schedule.starts[i].has_value()) continue;
    Add(place(start), place(start + job.run_time), job.cpus, &curve.cpus);
  }
  return curve;
}

}  // namespace priorityd::laboratory
