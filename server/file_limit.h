// How many files, connections among them, the process may have open.
#ifndef PRIORITYD_SERVER_FILE_LIMIT_H_
#define PRIORITYD_SERVER_FILE_LIMIT_H_

#include <cstdint>

namespace priorityd {

// Raises the limit on open files as far as the process may, and returns it. Systems start
// services with 1024 of 524,288 allowed; each connection takes one.
uint64_t RaiseFileLimit();

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FILE_LIMIT_H_
