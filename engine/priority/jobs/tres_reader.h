// Reads the TRES counts of jobs into columns.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_TRES_READER_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_TRES_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/site/policy.h"

namespace priorityd::priority {

// Reads the counts of a few TRES from many jobs. Scans the list of a job once, and first tries the
// column that the same position had in the previous job. Thread-compatible.
class TresReader {
 public:
  // `names`: unique, of TRES, canonical, or texts of sums of them (TresSumText), or of price books,
  // of which each job requests 1.
  explicit TresReader(absl::Span<const std::string> names);

  // TresCountOf for each name, in the order of the names; for a sum the sum of its terms. Valid
  // until the next call.
  absl::Span<const double> Read(const Job& job, const JobDefaults& defaults = {});

 private:
  static constexpr int kNone = -1;

  struct Term {
    int sum;   // A column.
    int tres;  // A column; kNone = the job, of which there is 1.
    double weight;
  };

  void AddSum(int sum);
  // The column of a name; kNone = not found.
  int Find(absl::string_view name) const;
  // The column of the TRES at a position of a job's list; kNone = not among the names.
  int ColumnOf(size_t place, absl::string_view given);

  const size_t wanted_;
  std::vector<std::string> names_;  // Of the columns: the wanted ones, then other terms of sums.
  std::vector<Term> terms_;
  int cpu_ = kNone;
  int node_ = kNone;
  int mem_ = kNone;
  absl::InlinedVector<double, 8> counts_;
  absl::InlinedVector<int, 8> last_;  // By position, the column found there last.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_TRES_READER_H_
