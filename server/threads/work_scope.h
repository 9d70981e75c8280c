// Whether the work of a thread is still needed.
#ifndef PRIORITYD_SERVER_THREADS_WORK_SCOPE_H_
#define PRIORITYD_SERVER_THREADS_WORK_SCOPE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace priorityd::threads {

// While it exists, long computations of this thread that have stored nothing yet ask `check`, and
// end with its error. Unlike storage::ReadContext it ends no reads: a call that changes something
// may need those after its COMMIT.
class WorkScope {
 public:
  using Check = absl::FunctionRef<absl::Status()>;

  // The objects that `check` refers to must outlive it.
  explicit WorkScope(Check check);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // Of the innermost scope of this thread; OK without one.
  static absl::Status CheckCurrent();

 private:
  const Check check_;
  const WorkScope* const outer_;
};

}  // namespace priorityd::threads

#endif  // PRIORITYD_SERVER_THREADS_WORK_SCOPE_H_
