// Keeps one PostgreSQL server process running.
#ifndef STORAGE_EMBEDDED_POSTGRES_POSTGRES_SUPERVISOR_H_
#define STORAGE_EMBEDDED_POSTGRES_POSTGRES_SUPERVISOR_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "storage/embedded_postgres/child_process.h"

namespace priorityd::storage {

// Thread-safe. The server is started by a thread that lives as long as this
// object: the kernel signals a child its parent's death when the thread that
// started it ends.
class PostgresSupervisor {
 public:
  // `server` is the command, `url` where it answers.
  PostgresSupervisor(Command server, std::string url, absl::Duration start_timeout);

  // Stops the server: fast shutdown, after 60 s the immediate one.
  ~PostgresSupervisor();
  PostgresSupervisor(const PostgresSupervisor&) = delete;
  PostgresSupervisor& operator=(const PostgresSupervisor&) = delete;

  // Starts the server and returns when it accepts connections. From then on,
  // one that dies is started again, after 100 ms at first and 5 s at most.
  // FAILED_PRECONDITION if the first start fails; then nothing runs. Call
  // once.
  absl::Status Start();

  // UNAVAILABLE, saying why, while no server accepts connections.
  absl::Status Check() const;

  // 0 while there is none.
  pid_t pid() const;

  // The number of restarts of the server, failed attempts included.
  int64_t restarts() const { return restarts_; }

 private:
  void Loop();
  // Starts the server and waits until it accepts connections or ends.
  absl::Status StartOnce();
  bool AcceptsConnections() const;
  // Waits for the server's end, for ever or without waiting; true if it ended.
  bool AwaitEnd(bool wait);
  // Waits; true if it is time to stop.
  bool Pause(absl::Duration duration);
  void SetState(absl::Status state);

  const Command server_;
  const std::string url_;
  const absl::Duration start_timeout_;
  std::atomic<int64_t> restarts_ = 0;
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;  // signalled when one of the flags below is set
  pid_t pid_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool first_start_over_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status state_ ABSL_GUARDED_BY(mutex_);
  std::string last_end_;  // of the loop's thread only
  std::thread thread_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_POSTGRES_SUPERVISOR_H_
