// What a forest learns from.
#ifndef PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_
#define PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_

#include "engine/forecast/features.h"

namespace priorityd::forecast {

// A job that started: what was known when it was submitted, and how long it then waited.
struct Example {
  Row row;
  float wait = 0;  // Seconds, at least 0.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_
