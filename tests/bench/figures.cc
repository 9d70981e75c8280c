#include "tests/bench/figures.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_format.h"

namespace priorityd::bench {

void Die(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

void Check(const absl::Status& status) {
  if (!status.ok()) Die(status.ToString());
}

void Print(const Figure& figure) {
  absl::PrintF("{\"name\":\"%s\",\"value\":%.6g,", figure.name, figure.value);
  if (figure.reference != 0) {
    absl::PrintF("\"reference\":%.6g,\"ratio\":%.4g,", figure.reference,
                 figure.value / figure.reference);
  }
  if (figure.target != 0) absl::PrintF("\"target\":%g,", figure.target);
  absl::PrintF("\"higher_is_better\":%s,\"unit\":\"%s\"}\n",
               figure.higher_is_better ? "true" : "false", figure.unit);
  std::fflush(stdout);
}

double Quantile(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(part * (values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace priorityd::bench
