// The configuration of a small cluster, in memory.
#ifndef TESTS_SERVER_USAGE_SMALL_SITE_H_
#define TESTS_SERVER_USAGE_SMALL_SITE_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "server/usage/price_book.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::usage {

inline constexpr int64_t kRoot = 1, kAccount = 2, kUser = 3, kGoneAccount = 4, kGoneUser = 5;
inline constexpr int64_t kQos = 7, kGoneQos = 8;
inline const absl::Time kQosGoneAt = absl::FromUnixSeconds(1'700'000'000);

// root > a > amy; b and its user ben are deleted. Usage of the QOS half counts half; gone
// counted twice until kQosGoneAt. A CPU of the partition gpu costs 10.
inline storage::ClusterState SmallSite() {
  storage::ClusterState state;
  state.tres = {{"cpu", 1}, {"mem", 2}};
  state.associations = {{.id = kRoot, .account = "root"},
                        {.id = kAccount, .parent_id = kRoot, .account = "a"},
                        {.id = kUser, .parent_id = kAccount, .account = "a", .user_name = "amy"}};
  state.deleted_associations = {
      {.id = kGoneAccount, .parent_id = kRoot, .account = "b"},
      {.id = kGoneUser, .parent_id = kGoneAccount, .account = "b", .user_name = "ben"}};
  state.users = {{.name = "amy", .default_account = "a"}};
  state.qos = {{.id = kQos, .name = "half", .usage_factor = 0.5}};
  state.deleted_qos = {
      {.id = kGoneQos, .name = "gone", .usage_factor = 2, .deleted_at = kQosGoneAt}};
  state.partitions = {{.name = "gpu", .billing_weights = {{"cpu", 10}}}};
  return state;
}

inline std::shared_ptr<const PriceBook> BookOf(const storage::ClusterState& state) {
  return PriceBook::Make(state, state.policy).value();
}

// Of amy in account a, a minute of 4 CPUs that begins when the QOS goes.
inline UsageSubmission Submission(absl::string_view record_id) {
  UsageSubmission submission;
  submission.source = "s";
  submission.record_id = record_id;
  submission.account = "a";
  submission.user = "amy";
  submission.start_time = kQosGoneAt;
  submission.end_time = kQosGoneAt + absl::Minutes(1);
  submission.tres = {{"CPU", 4}};
  return submission;
}

}  // namespace priorityd::usage

#endif  // TESTS_SERVER_USAGE_SMALL_SITE_H_
