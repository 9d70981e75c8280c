// Rows in the shapes that slurmrestd gives them, as far as the service has what they are about. The
// fields are those of its published OpenAPI; what the service knows nothing of is left out or
// unset.
#ifndef PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_
#define PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "priority/v1/queue.pb.h"
#include "priority/v1/share.pb.h"

namespace priorityd::gateway {

using Json = nlohmann::ordered_json;

// The versions of its API that are spoken: v0.0.40 to v0.0.44.
inline constexpr int kOldestSlurmVersion = 40;
inline constexpr int kNewestSlurmVersion = 44;
// From this one on numbers of shares may be unset.
inline constexpr int kVersionOfUnsetShares = 42;
// From this one on an association's id is a number, and no object.
inline constexpr int kVersionOfPlainIds = 41;
// Fairshare=parent among numbers of shares.
inline constexpr uint32_t kParentShares = 2147483647;

// `{"set":true,"infinite":false,"number":N}`, which Slurm has for numbers that may be unset.
Json SetNumber(const Json& number);
Json UnsetNumber();
Json InfiniteNumber();

// A row of `shares`.
Json ShareShape(int version, const std::string& cluster,
                const ::priority::v1::AssociationShare& share);

// A row of `jobs`. job_id is the number that the job's id begins with, 0 where there is none; then
// `extra` has the id.
Json JobShape(const std::string& cluster, const ::priority::v1::TrackedJob& job);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SLURM_SHAPES_H_
