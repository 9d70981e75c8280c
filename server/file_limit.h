// The process's limit on open files, which include connections.
#ifndef PRIORITYD_SERVER_FILE_LIMIT_H_
#define PRIORITYD_SERVER_FILE_LIMIT_H_

#include <cstdint>

namespace priorityd {

// Raises the limit on open files to the hard limit and returns it. Systems start services with a
// limit of 1024 out of a hard limit of 524,288; each connection takes one file.
uint64_t RaiseFileLimit();

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FILE_LIMIT_H_
