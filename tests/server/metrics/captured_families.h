// What a collector adds, by the name of its series.
#ifndef PRIORITYD_TESTS_SERVER_METRICS_CAPTURED_FAMILIES_H_
#define PRIORITYD_TESTS_SERVER_METRICS_CAPTURED_FAMILIES_H_

#include <prometheus/text_serializer.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "server/metrics/families.h"

namespace priorityd::metrics {

// `name{label="value"}` -> value, as Prometheus reads them.
inline std::map<std::string, double> SeriesOf(Families families) {
  std::istringstream text(prometheus::TextSerializer().Serialize(std::move(families).Take()));
  std::map<std::string, double> series;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.rfind(' ');
    series[line.substr(0, space)] = std::strtod(line.c_str() + space, nullptr);
  }
  return series;
}

}  // namespace priorityd::metrics

#endif  // PRIORITYD_TESTS_SERVER_METRICS_CAPTURED_FAMILIES_H_
