// The real priorityd, which asks who is calling, and proofs of everybody.
#ifndef PRIORITYD_TESTS_END_TO_END_SECURED_PRIORITYD_H_
#define PRIORITYD_TESTS_END_TO_END_SECURED_PRIORITYD_H_

#include <memory>
#include <string>
#include <vector>

#include "client/priority_client.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/server/identity/private_munged.h"
#include "tests/server/identity/signing_key.h"
#include "tests/temporary_folder.h"

namespace priorityd {

// Takes Slurm's tokens, of a key of its own, and credentials of a munged of its own. Its cluster
// `c` has the users `amy` and `ben` of account `a`.
class SecuredPriorityd {
 public:
  // `settings`: more lines of the auth file. `flags`: more flags, without which it listens on a
  // free port of 127.0.0.1 in clear.
  explicit SecuredPriorityd(const std::string& settings = "", std::vector<std::string> flags = {});

  RealPriorityd& process() { return *process_; }
  const std::string& address() const { return process_->address(); }
  int port() const;
  const identity::PrivateMunged& munged() const { return munged_; }

  // Replaces the file at once: by a rename.
  void WriteAuthFile(const std::string& settings) const;

  // Of a user, for an hour.
  std::string Token(const std::string& user) const;
  // By that token; further options by the caller.
  client::ConnectOptions As(const std::string& user) const;

  // What it has in memory now.
  double ResidentMib() const;

 private:
  void Import() const;

  const TemporaryFolder folder_;
  const identity::PrivateMunged munged_;
  const std::string secret_ = std::string(32, 'k');
  std::unique_ptr<RealPriorityd> process_;
};

// Writes a file for its owner alone, by a rename, so that nobody reads half of it.
void ReplaceFile(const std::string& path, const std::string& content);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_SECURED_PRIORITYD_H_
