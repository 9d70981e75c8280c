// The start order as a table.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_RANKED_TABLE_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_RANKED_TABLE_H_

#include <functional>
#include <ostream>
#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::prioctl {

// One more column, at the end.
struct MoreColumn {
  std::string name;
  std::function<std::string(const ::priority::v1::RankedJob&)> cell;
};

// `explain` adds what each factor contributes. Prints nothing where there are no rows.
void PrintRanked(const google::protobuf::RepeatedPtrField<::priority::v1::RankedJob>& rows,
                 bool explain, std::ostream& out, const MoreColumn* more = nullptr);

// Jobs that cannot start and why, below a heading. Prints nothing where there are none.
void PrintIneligible(const google::protobuf::RepeatedPtrField<::priority::v1::IneligibleJob>& jobs,
                     std::ostream& out);

// The priority; `-` under priority/basic.
template <typename Job>
std::string PriorityText(const Job& job) {
  return job.has_priority() ? std::to_string(job.priority()) : "-";
}

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_RANKED_TABLE_H_
