// Hostile users of the hostile cluster, its coordinator and its operator.
#ifndef PRIORITYD_TESTS_SOAK_HOSTILE_USERS_H_
#define PRIORITYD_TESTS_SOAK_HOSTILE_USERS_H_

#include <deque>
#include <memory>
#include <string>

#include "client/priority_client.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "tests/soak/hostile_load.h"

namespace priorityd::soak {

// Fills the queue and opens watches that nobody reads, asks for all there is, and reaches for what
// is others'.
class HostileUser : public HostileLoad {
 public:
  explicit HostileUser(const LoadOptions& options);
  ~HostileUser() override;

 protected:
  void Step() override;
  void Finish() override;

 private:
  struct Watch;

  void FillQueue();
  void OpenWatches();
  void AskForAll();
  void AskForPrecedence();
  void StirVictimsJob();
  void StirHonest() { StirHonestJobs(); }
  void NoteRefusedWatch(const absl::Status& status);
  void CloseWatch();
  void ExpectVictimsJobAsItWas();
  void ExpectOwnPartOfTheQueue();

  std::deque<std::unique_ptr<Watch>> watches_;
  int jobs_ = 0;
  int64_t refused_watches_ = 0;
};

// Has the rights of the account of the hostile cluster.
class HostileCoordinator : public HostileLoad {
 public:
  explicit HostileCoordinator(const LoadOptions& options);

 protected:
  void Step() override;

 private:
  void DeleteAndAddGuest();
  void SetNiceOfOthers();
  void ChangeOwnAccount();
  void ChangeHonest() { ChangeHonestTree(); }
  void StirHonest() { StirHonestJobs(); }
};

// An operator there, and a user elsewhere.
class HostileOperator : public HostileLoad {
 public:
  explicit HostileOperator(const LoadOptions& options);

 protected:
  void Step() override;

 private:
  void Administer();
  void AskForTheAudit();
  void OperateHonestClusters();
  void ChangeHonest() { ChangeHonestTree(); }
  void StirHonest() { StirHonestJobs(); }
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_HOSTILE_USERS_H_
