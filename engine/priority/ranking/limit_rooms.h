// A fast check for the many jobs that are far from every limit.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_ROOMS_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_ROOMS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/limits/limits.h"
#include "engine/priority/ranking/limit_check.h"

namespace priorityd::priority {

// The room that the limits leave for each class of jobs: those of one account with the same
// association limits and the same QOS. Computed once per class, so that checking a job takes one
// comparison per TRES instead of one per limit. Thread-compatible.
class LimitRooms {
 public:
  // `check` must outlive it.
  explicit LimitRooms(const LimitCheck& check) : check_(check), limits_(check.limits()) {}

  // True: the pending job of the row exceeds no limit. False: unknown, call FirstExceeded; always
  // so if the user has running jobs and a limit counts jobs per user. REQUIRES: there are limits.
  bool Fit(const JobTable& table, const LimitDemands& demands, size_t row);

 private:
  struct Class {
    int32_t account = 0;
    int32_t chain = 0;
    int32_t order = -1;  // QosOrder::number.

    friend bool operator==(const Class&, const Class&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Class& of) {
      return H::combine(std::move(h), of.account, of.chain, of.order);
    }
  };
  // The largest demand for one TRES that fits; `least`: the smallest one.
  struct TresRoom {
    double count;
    double tres_seconds;
    double per_node;
    double least;
  };
  struct Room {
    double jobs;
    double seconds;
    std::vector<TresRoom> tres;  // In the order of Limits::tres().
    bool of_users = false;       // Some limit counts jobs per user.
  };
  enum class Running : uint8_t { kUnknown, kNothing, kSomething };

  // The room of the association's class, for a user without running jobs.
  Room Make(AssociationIndex association, const Limits::QosChain& qos) const;
  void Narrow(const Limit& limit, const Limits::QosChain& qos, AssociationIndex association,
              Room* room) const;
  // Whether the association's user has no running job that a limit counts, under any QOS.
  bool NothingRuns(AssociationIndex association);

  const LimitCheck& check_;
  const Limits& limits_;
  absl::flat_hash_map<Class, Room> rooms_;
  std::vector<Running> running_;  // By AssociationIndex; empty = Fit has not been called yet.
  std::vector<int32_t> counters_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_LIMIT_ROOMS_H_
