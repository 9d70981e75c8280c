#include "engine/forecast/features.h"

namespace priorityd::forecast {
namespace {

constexpr absl::string_view kSize = "the job's size and time limit";
constexpr absl::string_view kQueue = "the queue ahead";
constexpr absl::string_view kMachine = "free and running CPUs";
constexpr absl::string_view kFlow = "how fast jobs come and start";
constexpr absl::string_view kUser = "the user's other jobs";
constexpr absl::string_view kAccount = "the account's other jobs";
constexpr absl::string_view kPartition = "the partition and QOS";
constexpr absl::string_view kShape = "the last waits of the user's jobs of this shape";
constexpr absl::string_view kClass = "the last waits of jobs of this size and time limit";
constexpr absl::string_view kAll = "the last waits of all jobs";
constexpr absl::string_view kKnown = "the place in the start order";
constexpr absl::string_view kPlan = "the planned start";

// QueueState::MakeRow writes them in this order.
constexpr FeatureInfo kTable[] = {
    {"cpus", kSize},
    {"limit", kSize},
    {"work", kSize},
    {"cpus_of_capacity", kSize},
    {"expected_run_time", kSize},

    {"queue_jobs", kQueue},
    {"queue_cpus", kQueue},
    {"queue_work", kQueue},
    {"queue_expected_work", kQueue},
    {"smaller_jobs", kQueue},
    {"smaller_work", kQueue},
    {"smaller_expected_work", kQueue},
    {"narrower_jobs", kQueue},
    {"narrower_cpus", kQueue},
    {"oldest_age", kQueue},
    {"mean_age", kQueue},
    {"blocked_jobs", kQueue},
    {"widest_cpus", kQueue},
    {"oldest_until_free", kQueue},
    {"oldest_leaves_time", kQueue},
    {"oldest_leaves_cpus", kQueue},
    {"oldest_cpus", kQueue},

    {"free_cpus", kMachine},
    {"free_by_cpus", kMachine},
    {"free_after_queue", kMachine},
    {"running_jobs", kMachine},
    {"limits_left", kMachine},
    {"expected_left", kMachine},
    {"until_free_by_limits", kMachine},
    {"until_free_expected", kMachine},
    {"until_free_after_queue_by_limits", kMachine},
    {"until_free_after_queue_expected", kMachine},
    {"until_free_after_narrower_by_limits", kMachine},
    {"until_free_after_narrower_expected", kMachine},

    {"starts_1h", kFlow},
    {"starts_6h", kFlow},
    {"starts_24h", kFlow},
    {"submissions_1h", kFlow},
    {"submissions_6h", kFlow},
    {"submissions_24h", kFlow},
    {"ends_1h", kFlow},

    {"user_waiting", kUser},
    {"user_waiting_cpus", kUser},
    {"user_mean_age", kUser},
    {"user_oldest_age", kUser},
    {"user_last_wait", kUser},
    {"user_mean_wait", kUser},
    {"user_greatest_wait", kUser},
    {"user_since_start", kUser},
    {"user_since_submission", kUser},
    {"user_running", kUser},
    {"user_running_cpus", kUser},
    {"user_limit_use", kUser},
    {"user_usage", kUser},

    {"account_waiting", kAccount},
    {"account_waiting_cpus", kAccount},
    {"account_mean_age", kAccount},
    {"account_oldest_age", kAccount},
    {"account_last_wait", kAccount},
    {"account_mean_wait", kAccount},
    {"account_greatest_wait", kAccount},
    {"account_since_start", kAccount},
    {"account_since_submission", kAccount},
    {"account_running", kAccount},
    {"account_running_cpus", kAccount},
    {"account_usage", kAccount},

    {"partition_waiting", kPartition},
    {"partition_waiting_cpus", kPartition},
    {"partition_mean_age", kPartition},
    {"partition_oldest_age", kPartition},
    {"partition_last_wait", kPartition},
    {"partition_mean_wait", kPartition},
    {"partition_greatest_wait", kPartition},
    {"partition_since_start", kPartition},
    {"partition_since_submission", kPartition},
    {"partition_running", kPartition},
    {"partition_running_cpus", kPartition},

    {"shape_waiting", kShape},
    {"shape_waiting_cpus", kShape},
    {"shape_mean_age", kShape},
    {"shape_oldest_age", kShape},
    {"shape_last_wait", kShape},
    {"shape_mean_wait", kShape},
    {"shape_greatest_wait", kShape},
    {"shape_since_start", kShape},
    {"shape_since_submission", kShape},
    {"shape_running", kShape},
    {"shape_running_cpus", kShape},
    {"shape_limit_use", kShape},

    {"class_waiting", kClass},
    {"class_waiting_cpus", kClass},
    {"class_mean_age", kClass},
    {"class_oldest_age", kClass},
    {"class_last_wait", kClass},
    {"class_mean_wait", kClass},
    {"class_greatest_wait", kClass},
    {"class_since_start", kClass},
    {"class_since_submission", kClass},

    {"all_last_wait", kAll},
    {"all_mean_wait", kAll},
    {"all_greatest_wait", kAll},
    {"all_since_start", kAll},

    {"known_jobs_ahead", kKnown},
    {"known_work_ahead", kKnown},
    {"known_priority", kKnown},
    {"known_fair_share", kKnown},
    {"known_held_by_limit", kKnown},

    {"known_planned_wait", kPlan},
    {"known_expected_wait", kPlan},
};
static_assert(sizeof(kTable) / sizeof(kTable[0]) == kFeatures);
static_assert(kTable[kQueueExpectedWork].name == "queue_expected_work");

}  // namespace

absl::Span<const FeatureInfo> Features() { return kTable; }

}  // namespace priorityd::forecast
