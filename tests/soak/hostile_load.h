// Principals who try what they may not, and too much of what they may, whatever happens to the
// service: one for each role. What they are let do that matters fails the test.
#ifndef PRIORITYD_TESTS_SOAK_HOSTILE_LOAD_H_
#define PRIORITYD_TESTS_SOAK_HOSTILE_LOAD_H_

#include <memory>
#include <string>
#include <vector>

#include "google/protobuf/repeated_ptr_field.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/queue.pb.h"
#include "tests/soak/load.h"
#include "tests/soak/site.h"

namespace priorityd::soak {

class HostileLoad : public Load {
 public:
  std::string Summary() const override;

 protected:
  // By connections of their own.
  HostileLoad(const std::string& caller, const LoadOptions& options, absl::Duration pause);

  void Finish() override;

  // Counts the end of a call that the caller may make. Whether it was served: it may also have been
  // too much, or be lost to a fault.
  bool Served(const char* what, const absl::Status& status);
  // Counts the end of one that they may not: refused with PERMISSION_DENIED and, where `reason`
  // names one, for it; else too much, or lost.
  void ExpectDenied(const char* what, const absl::Status& status, const char* reason = "");
  // Of an update whose jobs are none of the caller's: each is refused, or not there.
  void ExpectNothingDone(const char* what,
                         const absl::StatusOr<::priority::v1::UpdateJobsResponse>& response);
  // Whether each change was done, or refused for `reason`: then, one of the limits of the service.
  void ExpectDoneOr(const char* reason, const ::priority::v1::UpdateJobsResponse& response);

  void CountRefused() { ++refused_; }
  void CountServed() { ++served_; }
  void CountLost() { ++lost_; }

  std::string AnyHonestCluster() { return ClusterName(AnyCluster()); }
  // Jobs of a cluster that an honest frontend has; none if the call is lost.
  std::vector<::priority::v1::Job> HonestJobs(const std::string& cluster);
  // Each as it is, in its user's name but for its nice value; removals of all; and to the top.
  void StirHonestJobs();
  // As nobody may who has no right in the cluster.
  void ChangeHonestTree();

  static ::priority::v1::CreateAssociationsRequest Addition(const std::string& cluster,
                                                            const std::string& account,
                                                            const std::string& user);
  static ::priority::v1::DeleteAssociationsRequest Deletion(const std::string& cluster,
                                                            const std::string& account,
                                                            const std::string& user);

  const std::string& caller() const { return caller_; }

 private:
  const std::string caller_;
  int64_t served_ = 0, refused_ = 0, too_much_ = 0, lost_ = 0;
};

// One for each role, and one of none.
std::vector<std::unique_ptr<HostileLoad>> HostileLoads(const LoadOptions& options);

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_HOSTILE_LOAD_H_
