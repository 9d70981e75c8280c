// A munged of the test's own, with a key and a socket of its own.
#ifndef PRIORITYD_TESTS_SERVER_IDENTITY_PRIVATE_MUNGED_H_
#define PRIORITYD_TESTS_SERVER_IDENTITY_PRIVATE_MUNGED_H_

#include <sys/types.h>

#include <string>

#include "tests/temporary_folder.h"

namespace priorityd::identity {

class PrivateMunged {
 public:
  // Ends the program if it does not come up.
  PrivateMunged();
  ~PrivateMunged();
  PrivateMunged(const PrivateMunged&) = delete;
  PrivateMunged& operator=(const PrivateMunged&) = delete;

  const std::string& socket() const { return socket_; }

  // A new credential of this process's user; `ttl` in seconds, 0 = munged's default.
  std::string Credential(const std::string& payload = "priorityd", int ttl = 0) const;

  // Stops munged; credentials are neither made nor taken any more.
  void Stop();

 private:
  const TemporaryFolder folder_;
  const std::string socket_;
  pid_t pid_ = 0;
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_TESTS_SERVER_IDENTITY_PRIVATE_MUNGED_H_
