// The options of a line of the file of own objects.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OPTIONS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/errors/bounds.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::administration {

// RFC 3339, from 1970 to 9999, to microseconds.
absl::StatusOr<absl::Time> ReadOwnTime(absl::string_view text);

absl::Status CheckLength(absl::string_view text, size_t most);

// Takes the options of a line by name; faults are added at the line.
class OwnOptions {
 public:
  // `file` and `violations` must outlive it.
  OwnOptions(const slurm::SourceFile& file, int line, std::vector<slurm::DumpOption> options,
             slurm::FileViolations* violations)
      : file_(file), line_(line), options_(std::move(options)), violations_(*violations) {}

  // Empty = it is not given.
  std::string Text(absl::string_view name, size_t most = errors::kMaxNameBytes);
  std::string Required(absl::string_view name, size_t most = errors::kMaxNameBytes);
  absl::Time Time(absl::string_view name);
  std::optional<absl::Time> OptionalTime(absl::string_view name);
  // All that are left, which the caller knows.
  std::vector<slurm::DumpOption> Rest() { return std::exchange(options_, {}); }

  void Fault(absl::string_view name, const absl::Status& status);
  void Add(absl::string_view message) { violations_.Add(file_.name, line_, message); }
  // Adds a fault for each option that nothing took.
  void Finish();

 private:
  const slurm::SourceFile& file_;
  const int line_;
  std::vector<slurm::DumpOption> options_;
  std::vector<std::string> names_;
  slurm::FileViolations& violations_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_OWN_OPTIONS_H_
