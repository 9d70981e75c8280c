// Whether a PostgreSQL says anything at all.
#ifndef STORAGE_PROBE_H_
#define STORAGE_PROBE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace priorityd::storage {

// Connects anew and has a statement run. False if nothing came for `patience`, as from a server
// that is frozen, or if `goes_on`, asked ten times a second, says false; a refusal is an answer.
bool Answers(const std::string& connection_string, absl::Duration patience,
             absl::FunctionRef<bool()> goes_on);

}  // namespace priorityd::storage

#endif  // STORAGE_PROBE_H_
