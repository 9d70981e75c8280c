// Keeps a server listening when its process has reached the limit of open files.
//
// gRPC 1.51 stops listening permanently when accept4 fails for want of a file (CVE-2023-4785).
// spare_file.cc therefore replaces the C library's accept4 in every program that links it: with no
// file left, it uses a spare one to accept and close the waiting connection, and reports that none
// is waiting.
#ifndef PRIORITYD_SERVER_TRANSPORT_SPARE_FILE_H_
#define PRIORITYD_SERVER_TRANSPORT_SPARE_FILE_H_

namespace priorityd::rpc {

// Opens the spare file unless it is open. Call while files are left. Thread-safe.
void KeepSpareFile();

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_SPARE_FILE_H_
