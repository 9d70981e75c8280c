// A way to the database on which answers get lost.
#ifndef TESTS_STORAGE_LOST_ANSWERS_H_
#define TESTS_STORAGE_LOST_ANSWERS_H_

#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "tests/temporary_folder.h"

namespace priorityd::storage {

// Passes on what is said between the connections of url() and the server.
class LostAnswers {
 public:
  // `database_url`: of TestServer().
  explicit LostAnswers(const std::string& database_url);
  ~LostAnswers();
  LostAnswers(const LostAnswers&) = delete;
  LostAnswers& operator=(const LostAnswers&) = delete;

  // The same database by this way.
  const std::string& url() const { return url_; }

  // The server gets the next message that holds `text` and does what it says, but its answer gets
  // lost, and the connection breaks.
  void LoseAnswerTo(absl::string_view text) ABSL_LOCKS_EXCLUDED(mutex_);
  // How many got lost.
  int lost() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Pair {
    int client;
    int server;
    bool is_to_lose = false;
  };

  void Serve();
  void Accept();
  // Passes on what `pair` has to say; false = one of both ends has gone.
  bool PassOn(Pair& pair);
  bool IsToLose(absl::string_view said) ABSL_LOCKS_EXCLUDED(mutex_);

  const TemporaryFolder folder_{"/tmp"};
  const std::string server_path_;
  const std::string url_;
  const int listener_;
  int stop_[2];  // A pipe.
  std::vector<Pair> pairs_;
  mutable absl::Mutex mutex_;
  std::string text_ ABSL_GUARDED_BY(mutex_);  // Empty = none.
  int lost_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_LOST_ANSWERS_H_
