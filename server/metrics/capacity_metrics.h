// Use of limited resources: threads, connections, memory.
#ifndef PRIORITYD_SERVER_METRICS_CAPACITY_METRICS_H_
#define PRIORITYD_SERVER_METRICS_CAPACITY_METRICS_H_

#include <string>
#include <utility>
#include <vector>

#include "server/api/priority_service.h"
#include "server/metrics/families.h"
#include "server/quotas/quota.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"

namespace priorityd::metrics {

// By the value of the label `pool`.
using Pools = std::vector<std::pair<std::string, rpc::PoolActivity>>;
void AddPools(const Pools& pools, Families* families);

// Use of each quota.
void AddQuotas(const std::vector<quotas::Usage>& usages, Families* families);

using Databases = std::vector<std::pair<std::string, const storage::Database*>>;
void AddDatabases(const Databases& databases, Families* families);

// Reads of reports by the server of each, and the standby's state if there is one.
void AddReports(const storage::ReportDatabase& reports, Families* families);

// Running calls and their memory, connections, streams, watches.
void AddClients(const rpc::Admission& admission, const rpc::PriorityService& service,
                Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_CAPACITY_METRICS_H_
