// Services that were taken over: a collector, a frontend, a dashboard.
#ifndef PRIORITYD_TESTS_SOAK_HOSTILE_SERVICES_H_
#define PRIORITYD_TESTS_SOAK_HOSTILE_SERVICES_H_

#include <deque>
#include <string>

#include "priority/v1/usage.pb.h"
#include "tests/soak/hostile_load.h"
#include "tests/soak/hostile_socket.h"

namespace priorityd::soak {

// Records what cannot be, in the names of others, and instead of what others recorded.
class HostileCollector : public HostileLoad {
 public:
  explicit HostileCollector(const LoadOptions& options);

 protected:
  void Step() override;
  void Finish() override;

 private:
  using Answer = absl::StatusOr<::priority::v1::RecordUsageResponse>;

  ::priority::v1::UsageRecord RecordOf(const std::string& source, const std::string& record_id);
  void SendImplausible();
  void SendForOthers();
  void ReplaceOthers();
  void SendAgain();
  // All are rejected; for `reason` where it names one.
  void ExpectRejected(const char* what, const Answer& response, const std::string& reason = "");

  // A second one, which the auth file binds to no source.
  const Clients unbound_;
  int64_t records_ = 0;
  int64_t beyond_capacity_ = 0;
};

// Syncs the queues of others away, and sends texts without end.
class HostileFrontend : public HostileLoad {
 public:
  explicit HostileFrontend(const LoadOptions& options);

 protected:
  void Step() override;

 private:
  void SyncOthersQueue();
  void SyncUnderOwnSource();
  void StirOthersJobs();
  void NameUsersSource();
  void SendHugeTexts();
};

// Asks for more than anybody reads, and follows it on many streams.
class HostileDashboard : public HostileLoad {
 public:
  explicit HostileDashboard(const LoadOptions& options);

 protected:
  void Step() override;

 private:
  void ReportYears();
  void AskForPages();
  void OpenEventStreams();
  void NoteStream(int status);
  void Write();

  std::deque<HostileSocket> streams_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_HOSTILE_SERVICES_H_
