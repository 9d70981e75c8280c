// Where the reasons and refusals of tests/oracle/limits are not to be ours.
#ifndef PRIORITYD_TESTS_ORACLE_LIMIT_EXCEPTIONS_H_
#define PRIORITYD_TESTS_ORACLE_LIMIT_EXCEPTIONS_H_

#include <map>
#include <string>

#include "tests/oracle/limit_scenario.h"

namespace priorityd {

// Counts what agrees, and each exception by its reason.
struct Agreement {
  int agree = 0;
  std::map<std::string, int> exceptions;

  int all() const;
  // `276 of 347 agree; 70: only an executor knows`, an exception a line.
  std::string ToString() const;
};

// Looks at the reason that a pending job of the scenario has, and its sentence; false where it
// should have been Slurm's and is not. An exception that agrees counts as agreeing.
bool LookAtReason(const LimitScenario& scenario, const LimitScenario::Job& job,
                  const std::string& reason, const std::string& text, Agreement* agreement);

// The same of a refusal: `refused` false = it was taken.
bool LookAtRefusal(const LimitScenario& scenario, const LimitScenario::Job& job, bool refused,
                   const std::string& reason, const std::string& message, Agreement* agreement);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_LIMIT_EXCEPTIONS_H_
