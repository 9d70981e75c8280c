// The class of a job: partition, QOS, size and time limit.
#ifndef PRIORITYD_ENGINE_FORECAST_JOB_CLASS_H_
#define PRIORITYD_ENGINE_FORECAST_JOB_CLASS_H_

#include <string>

#include "engine/forecast/job.h"

namespace priorityd::forecast {

// `5-16 CPUs`, of the sizes 1, 2-4, 5-16, 17-64, 65-256, 257-1024 and more.
std::string SizeClass(const Job& job);
// `1-4 h`, of the time limits up to 15 min, 1 h, 4 h, 12 h, 24 h, above 24 h, and none.
std::string LimitClass(const Job& job);
// Partition, QOS, size and limit.
std::string ClassOf(const Job& job);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_JOB_CLASS_H_
