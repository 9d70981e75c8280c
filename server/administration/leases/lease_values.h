// The settings of an object under its leases, now and next, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_VALUES_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/administration/leases/lease_fold.h"
#include "storage/configuration/lease_store.h"

namespace priorityd::administration {

// A setting whose value a lease changes now or later.
struct LeasedValue {
  std::string name;
  std::string value;     // In effect; empty = unset.
  absl::Time until;      // The next change of the value.
  std::string then;      // The value from then on; empty = unset.
  int64_t lease_id = 0;  // The lease that sets `value`, or that begins at `until`.
};

// Whether a lease changes a list of QOS, which associations below inherit.
bool ChangesQosList(const storage::Lease& lease);

// The objects of the accounts above an association, nearest first; none of another kind of object.
std::vector<std::string> ObjectsAbove(const LeasedRows& rows, const ObjectKey& key);

// `leases`: the open ones of the object, and of ObjectsAbove those that change lists of QOS, in the
// order of folding. In order of names.
std::vector<LeasedValue> LeasedValues(const LeasedRows& rows, const ObjectKey& key,
                                      absl::Span<const storage::Lease> leases, absl::Time time);

// The begin or the end of a lease, which a recalculation passes.
struct LeasePassage {
  int64_t lease_id = 0;
  bool is_end = false;
  std::string object;
  Attributes before;
  Attributes after;
  std::string comment;  // Names the lease.
};

// The begins and ends up to `time` that no recalculation has passed, in order: of time, ends before
// begins, then by id. `leases`: the open ones of a cluster.
std::vector<LeasePassage> PassagesUpTo(absl::Time time, absl::Span<const storage::Lease> leases,
                                       const LeasedRows& rows);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_VALUES_H_
