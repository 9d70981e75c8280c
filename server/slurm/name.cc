#include "server/slurm/name.h"

#include "absl/strings/str_cat.h"
#include "server/errors/bounds.h"

namespace priorityd::slurm {

absl::Status CheckName(absl::string_view name) {
  if (name.size() <= errors::kMaxNameBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got a name of ", name.size(), " bytes, want at most ", errors::kMaxNameBytes));
}

}  // namespace priorityd::slurm
