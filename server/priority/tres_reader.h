// Counts of TRES as columns.
#ifndef PRIORITYD_SERVER_PRIORITY_TRES_READER_H_
#define PRIORITYD_SERVER_PRIORITY_TRES_READER_H_

#include <cstddef>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/job.h"

namespace priorityd::priority {

// Reads what many jobs have of a few TRES: goes through a job's list once, whatever is asked for,
// and knows names again where they stood in the job before. Thread-compatible.
class TresReader {
 public:
  // `names`: canonical, each once. They must outlive it.
  explicit TresReader(absl::Span<const std::string> names);

  // TresCountOf each name, in their order. Valid until the next call.
  absl::Span<const double> Read(const Job& job);

 private:
  static constexpr int kNone = -1;

  // The column of the TRES that stands at a place of a job's list.
  int ColumnOf(size_t place, absl::string_view given);

  const absl::Span<const std::string> names_;
  int cpu_ = kNone;
  int node_ = kNone;
  absl::InlinedVector<double, 8> counts_;
  absl::InlinedVector<int, 8> last_;  // By place, the column found there last.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_TRES_READER_H_
