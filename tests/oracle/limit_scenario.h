// A scenario of tests/oracle/limits: what a real slurmctld knew, and why its jobs waited.
#ifndef PRIORITYD_TESTS_ORACLE_LIMIT_SCENARIO_H_
#define PRIORITYD_TESTS_ORACLE_LIMIT_SCENARIO_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/job.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd {

struct LimitScenario {
  // A job, and why it waited, in squeue's words, or what sbatch said when it refused it; empty =
  // it ran or had ended.
  struct Job {
    ::priority::v1::Job job;
    std::string words;
  };

  std::string name;
  absl::Time taken;
  std::string slurm_conf;
  std::string dump;
  std::string qos;
  std::vector<::priority::v1::UsageRecord> used;  // What had been used before, as records.
  std::vector<Job> jobs;
  std::vector<Job> refused;
};

// All of them, by name.
std::vector<LimitScenario> ReadLimitScenarios();

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_LIMIT_SCENARIO_H_
