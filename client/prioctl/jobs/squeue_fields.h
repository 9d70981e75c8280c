// The columns of squeue.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_FIELDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_FIELDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "priority/v1/plan.pb.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// A row: a job, or one partition of it, or one task of an array.
struct SqueueRow {
  ::priority::v1::TrackedJob job;
  absl::Time now;
  // Of a job that waits, where there is a plan.
  std::optional<::priority::v1::PlannedStart> planned = std::nullopt;
};

struct SqueueField {
  char letter;       // Of --format and --sort; 0 = has none.
  const char* name;  // Of --Format, in small letters.
  const char* heading;
  std::string (*text)(const SqueueRow& row);
  double (*number)(const SqueueRow& row);  // The sort key; null = the text.
};

// Whether it shows a start_interval, which ListJobs gives on request.
bool NeedsForecast(const SqueueField& field);

// Null if there is none.
const SqueueField* FindField(char letter);
const SqueueField* FindField(absl::string_view name);

// The parts of a line: texts and columns.
struct SqueueColumn {
  std::string text;                    // Before the column.
  const SqueueField* field = nullptr;  // Null = none: the text alone.
  int width = 0;                       // 0 = as wide as it needs.
  bool right = false;
};

// `%.18i %.9P`: % [.] [WIDTH] LETTER; what is no such thing stands for itself. As squeue does it.
// INVALID_ARGUMENT for a letter that is none.
absl::StatusOr<std::vector<SqueueColumn>> ParseFormat(absl::string_view format);
// `JobID:10,Account:.8`: NAME [:[.][WIDTH][SUFFIX]], joined by commas; 20 wide where nothing stands
// after the name.
absl::StatusOr<std::vector<SqueueColumn>> ParseLongFormat(absl::string_view format);

// A line without its end; of the headings for a null row.
std::string Line(const std::vector<SqueueColumn>& columns, const SqueueRow* row);

// Sorts by keys such as `P,t,-p`, the first counting most; rows that are equal stay in their
// order. INVALID_ARGUMENT for a letter that is none.
absl::Status SortRows(absl::string_view keys, std::vector<SqueueRow>* rows);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_FIELDS_H_
