// The verbs of `prioctl scontrol` on reservations.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_VERBS_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_VERBS_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/prioctl/jobs/scontrol.h"
#include "client/priority_client.h"

namespace priorityd::jobs {

// Whether the words of a `create` or `delete` are about a reservation: `reservation`,
// `reservation=NAME` or `ReservationName=NAME` first.
bool BeginsWithReservation(absl::Span<const std::string> words);

// A command line of scontrol's, whose `words` begin with the verb. Errors and `exit_code` as of
// PartitionVerbs.
class ReservationVerbs {
 public:
  ReservationVerbs(const ScontrolOptions& options, const client::PriorityClient& client,
                   absl::Time now, std::ostream& out, std::ostream& err, int* exit_code)
      : options_(options),
        client_(client),
        now_(now),
        out_(out),
        err_(err),
        exit_code_(exit_code) {}

  // Empty = all.
  absl::Status Show(const std::string& name);
  absl::Status Update();
  absl::Status Create();
  absl::Status Delete();

 private:
  // `done`: printed after success.
  absl::Status Print(const absl::StatusOr<::priority::v1::ChangeResponse>& response, int settings,
                     const std::string& done);

  const ScontrolOptions& options_;
  const client::PriorityClient& client_;
  const absl::Time now_;
  std::ostream& out_;
  std::ostream& err_;
  int* const exit_code_;
};

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_VERBS_H_
