#include "server/identity/refusal.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/line_reader.h"
#include "server/identity/principal.h"

namespace priorityd::identity {

absl::Status Refused(absl::string_view reason, absl::string_view message) {
  return errors::WithReason(absl::UnauthenticatedError(absl::StrCat("credential: ", message)),
                            reason);
}

absl::Status CheckName(absl::string_view name) {
  const bool fits = !name.empty() && name.size() <= kMaxNameBytes && slurm::IsValidUtf8(name) &&
                    std::none_of(name.begin(), name.end(),
                                 [](unsigned char c) { return absl::ascii_iscntrl(c); });
  if (fits) return absl::OkStatus();
  return Refused("NAME_UNUSABLE",
                 absl::StrCat("got a name of ", name.size(), " bytes, want 1 to ", kMaxNameBytes,
                              " of UTF-8 without control characters"));
}

}  // namespace priorityd::identity
