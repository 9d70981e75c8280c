// Probes whether a PostgreSQL server responds.
#ifndef STORAGE_DATABASE_PROBE_H_
#define STORAGE_DATABASE_PROBE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace priorityd::storage {

// Opens a new connection and runs a statement. False if there is no response for `patience`, as
// from a frozen server, or if `goes_on`, called ten times a second, returns false; a refused
// connection is a response.
bool Answers(const std::string& connection_string, absl::Duration patience,
             absl::FunctionRef<bool()> goes_on);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_PROBE_H_
