// Creates and ends leases, and warns of those over a changed base value.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/tree_rights.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The bounds of leases that have not ended, of a cluster and of one object.
inline constexpr int64_t kMaxLeases = 10'000;
inline constexpr size_t kMaxLeasesOfObject = 100;
// The separate bounds of leases that users create themselves.
inline constexpr int64_t kMaxLeasesOfUsers = 2'000;
inline constexpr size_t kMaxLeasesOfUser = 10;
inline constexpr size_t kMaxLeasesOfJob = 10;
// The bounds of leases of a cluster's associations, for authors who are not operators: of the
// leases of one author, and of all leases beyond which such authors create none, so that operators
// always can. The same for jobs.
inline constexpr int64_t kMaxLeasesOfCoordinator = 1'000;
inline constexpr int64_t kMaxLeasesForCoordinators = 5'000;
// This part of the leases of users, and of those of one object, is kept for operators.
inline constexpr int kPartForOperators = 5;
// The bounds of leases of a kind that have ended or were cancelled: of an author who is not an
// operator, and of the cluster. The oldest leases beyond them are deleted when such an author
// creates one.
inline constexpr int64_t kMaxEndedLeasesOfAuthor = 1'000;
inline constexpr int64_t kMaxEndedLeases = 10'000;

// Settings of an object's verb that take effect at `begin` and end at `end`.
struct LeaseTerm {
  std::string kind;  // Of ObjectKey.
  std::vector<Setting> settings;
  absl::Time begin;
  absl::Time end;
};

// The author of a change of leases, and the time by the cluster's clock.
struct LeaseAuthor {
  std::string principal;
  std::optional<storage::LeaseAuthors> share;  // The own leases, if the author is no operator.
  std::string comment;
  absl::Time time;
  absl::TimeZone zone;         // For texts.
  bool validate_only = false;  // Creates nothing; the leases have no numbers yet.
};

// The settings by their full names. INVALID_ARGUMENT (INVALID_FIELD) names the settings that cannot
// have an end: those that move or appoint, and those by which usage is recorded or decays.
absl::StatusOr<std::vector<Setting>> LeasableSettings(const LeaseTerm& term);

// Creates a lease of each of `objects`, and records it in `list`; deletes old leases and those
// beyond the bounds first. RESOURCE_EXHAUSTED (TOO_MANY_LEASES) beyond the bounds. REQUIRES: the
// objects take the settings.
absl::Status CreateLeases(storage::Transaction& transaction, int32_t cluster_id,
                          const LeaseTerm& term, const std::vector<ObjectKey>& objects,
                          const LeaseAuthor& author, ChangeList* list);

// Ends those that have begun, and cancels the others. For operators, NOT_FOUND (UNKNOWN_LEASE)
// names one that does not exist or has ended; for others PERMISSION_DENIED is the same for such a
// lease and for one that they may not end (MayEnd).
absl::Status EndLeases(storage::Transaction& transaction, int32_t cluster_id,
                       const std::vector<int64_t>& ids, const TreeRights& rights,
                       const LeaseAuthor& author, ChangeList* list);

// For each of `leases`, whether the caller may see and end it: operators all, coordinators those of
// associations that they may change, users those of the own default account, and all those of jobs
// that they created (`share`) or that were created on their behalf.
absl::StatusOr<std::vector<bool>> MayEnd(storage::Transaction& transaction, int32_t cluster_id,
                                         const std::vector<storage::Lease>& leases,
                                         const TreeRights& rights,
                                         const std::optional<storage::LeaseAuthors>& share);

// Creates a lease of a job for each of `jobs` in the same way.
struct JobNice {
  std::string job_id;
  int32_t nice = 0;
};
absl::Status CreateJobLeases(storage::Transaction& transaction, int32_t cluster_id,
                             absl::Time begin, absl::Time end, const std::vector<JobNice>& jobs,
                             const LeaseAuthor& author, ChangeList* list);

// Adds to `list` a warning for each setting that it changes under a lease.
absl::Status WarnOfLeases(storage::Transaction& transaction, int32_t cluster_id, absl::Time time,
                          absl::TimeZone zone, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_CHANGE_H_
