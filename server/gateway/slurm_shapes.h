// Rows in slurmrestd's format. The fields are those of its published OpenAPI; fields without data
// in this service are omitted or unset.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "priority/v1/queue.pb.h"
#include "priority/v1/share.pb.h"

namespace priorityd::gateway {

using Json = nlohmann::ordered_json;

// The supported API versions: v0.0.40 to v0.0.44.
inline constexpr int kOldestSlurmVersion = 40;
inline constexpr int kNewestSlurmVersion = 44;
// From this version on, numbers of shares may be unset.
inline constexpr int kVersionOfUnsetShares = 42;
// From this version on, an association's id is a number instead of an object.
inline constexpr int kVersionOfPlainIds = 41;
// The number of shares that means Fairshare=parent.
inline constexpr uint32_t kParentShares = 2147483647;

// Slurm's format for numbers that may be unset: `{"set":true,"infinite":false,"number":N}`.
Json SetNumber(const Json& number);
Json UnsetNumber();
Json InfiniteNumber();

// A row of `shares`.
Json ShareShape(int version, const std::string& cluster,
                const ::priority::v1::AssociationShare& share);

// A row of `jobs`. job_id is the leading number of the job's id; without one it is 0 and `extra`
// contains the id.
Json JobShape(const std::string& cluster, const ::priority::v1::TrackedJob& job);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_
