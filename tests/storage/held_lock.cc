#include "tests/storage/held_lock.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/database/database.h"

namespace priorityd::storage {
namespace {

constexpr char kWaiters[] =
    "SELECT count(*)::integer FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'";

}  // namespace

HeldLock::HeldLock(const std::string& database_url, const std::string& statement)
    : database_url_(database_url), thread_([this, statement] {
        const std::string script =
            absl::StrCat("SET LOCAL idle_in_transaction_session_timeout = 0; ", statement);
        Database database({.url = database_url_, .pool_size = 1});
        const absl::Status status = database.Write([&](Transaction& transaction) {
          const absl::Status taken = transaction.ExecuteScript(script.c_str());
          held_.count_down();
          released_.wait();
          return taken;
        });
        EXPECT_TRUE(status.ok()) << statement << ": " << status;
      }) {
  held_.wait();
}

HeldLock::~HeldLock() { Release(); }

void HeldLock::Release() {
  if (!thread_.joinable()) return;
  released_.count_down();
  thread_.join();
}

int HeldLock::Waiters() const {
  Database database({.url = database_url_, .pool_size = 1});
  const auto waiters = database.Read(
      [](Transaction& transaction) { return transaction.QueryOne(OnlyColumn<int32_t>, kWaiters); });
  EXPECT_TRUE(waiters.ok()) << waiters.status();
  return static_cast<int>(waiters.value_or(0));
}

void HeldLock::AwaitWaiters(int count) const {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (Waiters() < count) {
    ASSERT_LT(absl::Now(), deadline) << "nobody waits for the lock";
    absl::SleepFor(absl::Milliseconds(5));
  }
}

}  // namespace priorityd::storage
