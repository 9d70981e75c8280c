// Settings of a site's files that Slurm acts on and priorityd does not, as text.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_UNUSED_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_UNUSED_TEXT_H_

#include <ostream>

#include "google/protobuf/repeated_ptr_field.h"
#include "priority/v1/policy.pb.h"

namespace priorityd::prioctl {

using UnusedList = google::protobuf::RepeatedPtrField<::priority::v1::UnusedSetting>;

// At most about a screen: those that limit jobs or change numbers in Slurm line by line, the names
// of the others wrapped. Prints nothing for an empty list.
void PrintUnused(const UnusedList& unused, std::ostream& out);

// All of them, line by line, with their effects.
void PrintAllUnused(const UnusedList& unused, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_UNUSED_TEXT_H_
