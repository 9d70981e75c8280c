// `prioctl record`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_USAGE_RECORD_H_
#define PRIORITYD_CLIENT_PRIOCTL_USAGE_RECORD_H_

#include <string>

#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {

// The reason for the rejection of a record: `UNKNOWN_ACCOUNT: account: got "x", want ...`.
std::string RejectionText(const ::priority::v1::UsageRecordResult& result);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_USAGE_RECORD_H_
