// The examples from which a forest learns.
#ifndef PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_
#define PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_

#include "engine/forecast/features.h"

namespace priorityd::forecast {

// A job that started: the features at its submission, and its wait.
struct Example {
  Row row;
  float wait = 0;  // Seconds, at least 0.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_EXAMPLE_H_
