// Keeps a server listening while its process may open no more files.
//
// gRPC 1.51 stops listening for good when accept4 fails for want of a file (CVE-2023-4785). So
// spare_file.cc has an accept4 of its own, which takes the place of the C library's in every
// program that it is linked into: with no file left it ends the connection that waits, for which it
// keeps a file, and says that no other one waits.
#ifndef PRIORITYD_SERVER_RPC_SPARE_FILE_H_
#define PRIORITYD_SERVER_RPC_SPARE_FILE_H_

namespace priorityd::rpc {

// Opens the file that is kept, unless it is open: to be called while there are files left.
// Thread-safe.
void KeepSpareFile();

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SPARE_FILE_H_
