// What happens to the replicas and their database, drawn at random.
#ifndef PRIORITYD_TESTS_SOAK_FAULTS_H_
#define PRIORITYD_TESTS_SOAK_FAULTS_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "storage/database/database.h"
#include "tests/end_to_end/small_disk.h"
#include "tests/soak/load.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::soak {

// A fault that is over.
struct Disturbance {
  absl::Time begin, end;
  // Whether no replica could recalculate meanwhile, or the one that did had to be followed.
  bool stops_leading = false;
};

// One fault at a time, each healed before the next. By one thread.
class Faults {
 public:
  // `disk`: where the database is; null = it is never full.
  Faults(Replicas* replicas, storage::PostgresServer* postgres, SmallDisk* disk, uint64_t seed);

  // Draws a fault of at most `longest`, does it, prints what it did, and heals it.
  void DoOne(absl::Duration longest);

  const std::vector<Disturbance>& done() const { return done_; }
  std::string Summary() const;

 private:
  struct Kind;
  static const std::vector<Kind>& Kinds();

  void KillReplica(absl::Duration duration);
  void StopReplica(absl::Duration duration);
  void DeafenReplicaToDatabase(absl::Duration duration);
  void DeafenDatabase(absl::Duration duration);
  void SilenceBoth(absl::Duration duration);
  void DeafenReplicaToClients(absl::Duration duration);
  void FillDisk(absl::Duration duration);
  void StepClock(absl::Duration duration);
  void RestartDatabase(absl::Duration duration);
  void FreezeDatabase(absl::Duration duration);

  void Shuffle();
  void StartDatabaseIfDead();
  // Neither end of what is between a replica and the database hears the other, or one of them,
  // on connections made meanwhile too.
  void Silence(absl::Duration duration, pid_t deaf_replica, bool deaf_database);
  // Says what happens to which process and what it disturbs.
  void Tell(const std::string& what);
  void TouchReplica(const std::string& what);
  void TouchDatabase(const std::string& what);
  bool Leads(const Replica& replica) const;
  Replica& victim() { return *(*replicas_)[victim_]; }

  Replicas* const replicas_;
  storage::PostgresServer* const postgres_;
  SmallDisk* const disk_;
  std::mt19937_64 random_;
  const absl::Time begin_;
  size_t victim_ = 0;
  bool stops_leading_ = false;
  std::vector<Disturbance> done_;
  std::vector<size_t> deck_;  // Each kind comes once before one comes twice.
  std::vector<int> counts_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_FAULTS_H_
