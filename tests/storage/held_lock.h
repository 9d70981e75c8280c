// A lock that somebody holds, as from psql.
#ifndef TESTS_STORAGE_HELD_LOCK_H_
#define TESTS_STORAGE_HELD_LOCK_H_

#include <latch>
#include <string>
#include <thread>

namespace priorityd::storage {

// Keeps a transaction open on a connection of its own.
class HeldLock {
 public:
  // Runs `statement`, which takes the lock, and returns when it is held.
  HeldLock(const std::string& database_url, const std::string& statement);
  ~HeldLock();
  HeldLock(const HeldLock&) = delete;
  HeldLock& operator=(const HeldLock&) = delete;

  // Ends the transaction.
  void Release();

  // How many statements of others wait for locks of this database.
  int Waiters() const;

  // Waits until at least `count` statements of others wait for locks of this database.
  void AwaitWaiters(int count = 1) const;

 private:
  const std::string database_url_;
  std::latch held_{1};
  std::latch released_{1};
  std::thread thread_;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_HELD_LOCK_H_
