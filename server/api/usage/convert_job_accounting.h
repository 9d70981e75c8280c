// Converts job accounting of usage records to and from the API.
#ifndef PRIORITYD_SERVER_API_USAGE_CONVERT_JOB_ACCOUNTING_H_
#define PRIORITYD_SERVER_API_USAGE_CONVERT_JOB_ACCOUNTING_H_

#include "priority/v1/usage.pb.h"
#include "storage/ledger/job_accounting_store.h"

namespace priorityd::rpc {

// Not validated: times and durations out of their type's range become infinite.
storage::JobAccounting ToJobAccounting(const ::priority::v1::JobAccounting& proto);

void ToProto(const storage::JobAccounting& job, ::priority::v1::JobAccounting* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_USAGE_CONVERT_JOB_ACCOUNTING_H_
