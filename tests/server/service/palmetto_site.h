// Palmetto's partitions (https://docs.rcd.clemson.edu/palmetto/about/job_scheduler/) and jobs on
// them, for PlanStarts and SuggestPreemption.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_PALMETTO_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_PALMETTO_SITE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "priority/v1/job.pb.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc::palmetto {

// "Partition Order": owners preempt and stand at the top; interact has slightly more priority; osg
// has a smaller subset of the nodes. `preempt`: lines of the policy.
inline v1::ImportRequest Site(const std::string& preempt =
                                  "PreemptType=preempt/partition_prio\n"
                                  "PreemptMode=REQUEUE\n") {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          absl::StrCat("ClusterName=palmetto\nPriorityType=priority/multifactor\n", preempt,
                       "PriorityWeightPartition=1000\n"
                       "NodeName=n[1-10] CPUs=10\n"
                       "PartitionName=owners Nodes=ALL PriorityTier=10 PreemptMode=OFF\n"
                       "PartitionName=interact Nodes=ALL PriorityJobFactor=2\n"
                       "PartitionName=work1 Nodes=ALL Default=YES\n"
                       "PartitionName=osg Nodes=n1\n"),
          &request);
  AddFile(v1::FILE_KIND_QOS, "qos.txt",
          "Name|Priority|Preempt\nnormal|10|\nlow|1|\nowner|100|normal,low\n", &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'palmetto':Fairshare=1:QOS='normal,low,owner':DefaultQOS='normal'\n"
          "Parent - 'root'\n"
          "Account - 'a':Fairshare=1\n"
          "Parent - 'a'\n"
          "User - 'amy':DefaultAccount='a':Fairshare=1\n"
          "User - 'ben':DefaultAccount='a':Fairshare=1\n",
          &request);
  return request;
}

// On the day of the examples.
inline absl::Time At(int hour, int minute) {
  return TestEpoch() + absl::Hours(hour) + absl::Minutes(minute);
}

// Waits since then, for so many minutes of CPUs on one node.
inline v1::Job Waits(const std::string& id, absl::Time submitted, double cpus, int minutes) {
  v1::Job job;
  job.set_job_id(id);
  job.set_user("amy");
  *job.mutable_submit_time() = ToTimestamp(submitted);
  job.set_cpus(cpus);
  job.mutable_time_limit()->set_seconds(60 * minutes);
  return job;
}

inline v1::Job Runs(const std::string& id, absl::Time started, double cpus, int minutes) {
  v1::Job job = Waits(id, started, cpus, minutes);
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_start_time() = ToTimestamp(started);
  return job;
}

inline v1::ClusterDescription Described(const std::string& text) {
  v1::ClusterDescription description;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &description)) << text;
  return description;
}

}  // namespace priorityd::rpc::palmetto

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_PALMETTO_SITE_H_
