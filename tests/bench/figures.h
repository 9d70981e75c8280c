// What benchmarks print, and how they fail.
#ifndef PRIORITYD_TESTS_BENCH_FIGURES_H_
#define PRIORITYD_TESTS_BENCH_FIGURES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace priorityd::bench {

// Ends the program with one line.
[[noreturn]] void Die(const std::string& why);
void Check(const absl::Status& status);

struct Figure {
  std::string name;
  double value = 0;
  double reference = 0;  // 0 = none: no ratio, no target.
  double target = 0;     // Of value / reference; 0 = none.
  std::string unit;
  bool higher_is_better = false;
};

// A line of JSON on standard output.
void Print(const Figure& figure);

// `part` in [0, 1]: 0.5 = the median. Wants at least one value.
double Quantile(std::vector<double> values, double part);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_FIGURES_H_
