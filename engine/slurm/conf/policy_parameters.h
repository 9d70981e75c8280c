// Reads the scalar parameters of slurm.conf into a Policy.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETERS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/priority/site/policy.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/policy_draft.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {

// Reads parameters one by one, in the order of the lines.
class PolicyParameters {
 public:
  // All must outlive the object. `losses` receives values that slurmctld ignores although they have
  // a meaning.
  PolicyParameters(FileViolations& errors, std::vector<std::string>& warnings,
                   std::vector<std::string>& losses)
      : errors_(errors), warnings_(warnings), losses_(losses) {}

  // Whether the pair is a policy parameter, valid or not. An unknown name that begins with
  // Priority, FairShare or FairTree is an error, as in slurmctld. `(null)` is the same as no line.
  bool Read(const ConfPair& pair);

  // Whether any parameter was read.
  bool any() const { return !given_.empty(); }

  // Checks combinations of parameters. Adds the values in force that have no effect to `unused`.
  priority::Policy Finish(UnusedSettings& unused);

 private:
  const ConfPair* Given(const char* lower_key) const;
  void CheckHalfLife();
  void ApplyAlgorithm();
  void AddUnused(UnusedSettings& unused) const;

  FileViolations& errors_;
  std::vector<std::string>& warnings_;
  std::vector<std::string>& losses_;
  PolicyDraft draft_;
  absl::flat_hash_map<std::string, ConfPair> given_;  // By lower-case key.
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETERS_H_
