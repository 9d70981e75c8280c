#include "engine/explanation/grant_lint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {
namespace {

using priority::AssociationIndex;
using priority::GrantConsequence;
using priority::GrantStanding;
using priority::ReducedFactor;

using Standings = std::vector<const GrantStanding*>;

std::string NameOf(const GrantStanding& grant) {
  return absl::StrCat(grant.name,
                      grant.domain.empty() ? "" : absl::StrCat(" of domain ", grant.domain));
}

// `grants a, b and 3 more`.
std::string NamesOf(const Standings& grants) {
  constexpr size_t kMost = 5;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(grants.size(), kMost); ++i) names.push_back(NameOf(*grants[i]));
  const size_t more = grants.size() - names.size();
  return absl::StrCat(grants.size() == 1 ? "grant " : "grants ", absl::StrJoin(names, ", "),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

// Looks for grants of one kind, among those with a consequence.
class GrantLinter {
 public:
  GrantLinter(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
              absl::Time as_of)
      : snapshot_(snapshot), jobs_(jobs), as_of_(as_of), owners_(snapshot.tree()) {}

  std::vector<PolicyFinding> Run() && {
    const Standings used_up = Where(priority::IsUsedUp);
    if (!used_up.empty()) Add("GRANTS_IN_EFFECT", used_up, EffectOf(used_up));
    Report("GRANT_OWNER_UNKNOWN", "no account or user of it exists: it holds for nobody",
           [this](const GrantStanding& grant) {
             return grant.domain.empty() && owners_.Of(grant).empty();
           });
    Report("GRANT_WITHOUT_EFFECT", "its consequence can lower no priority under this policy",
           [this](const GrantStanding& grant) { return HasNoEffect(grant); });
    Report("GRANT_ENDS", "after its end none of the same owner follows, and nobody is held",
           [](const GrantStanding& grant) { return grant.ends && grant.domain.empty(); });
    return std::move(findings_);
  }

 private:
  template <typename Wanted>
  Standings Where(const Wanted& is_wanted) {
    Standings found;
    for (const GrantStanding& grant : snapshot_.grants()) {
      const bool has_consequence = grant.consequence != GrantConsequence::kNone;
      if (has_consequence && is_wanted(grant)) found.push_back(&grant);
    }
    return found;
  }
  void Add(absl::string_view code, const Standings& grants, absl::string_view what) {
    findings_.push_back({code, "", absl::StrCat("Of ", NamesOf(grants), ": ", what, ".")});
  }
  template <typename Wanted>
  void Report(absl::string_view code, absl::string_view what, const Wanted& is_wanted) {
    const Standings found = Where(is_wanted);
    if (!found.empty()) Add(code, found, what);
  }

  std::string EffectOf(const Standings& used_up);
  bool HasNoEffect(const GrantStanding& grant) const;
  bool HasPoints(ReducedFactor factor) const;

  const priority::Snapshot& snapshot_;
  const absl::Span<const priority::Job> jobs_;
  const absl::Time as_of_;
  priority::GrantOwners owners_;
  std::vector<PolicyFinding> findings_;
};

// `it is used up, and its consequence is in effect for 3 of 8 users and 12 of 40 pending jobs`
std::string GrantLinter::EffectOf(const Standings& used_up) {
  const priority::AssociationTree& tree = snapshot_.tree();
  const std::vector<bool> held = owners_.HeldByAny(used_up);
  size_t users = 0, users_held = 0, jobs = 0, jobs_held = 0;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (!tree.is_user(i)) continue;
    ++users;
    if (held[i]) ++users_held;
  }
  const priority::ScoredQueue queue(snapshot_, jobs_, as_of_);
  for (uint32_t job = 0; job < jobs_.size(); ++job) {
    const AssociationIndex association = queue.table().association[job];
    if (queue.Started(job) || association == priority::kNoAssociation) continue;
    jobs += jobs_[job].array_tasks;
    if (held[association]) jobs_held += jobs_[job].array_tasks;
  }
  const std::string of_jobs =
      jobs == 0 ? "" : absl::StrCat(" and ", jobs_held, " of ", jobs, " pending jobs");
  return absl::StrCat("what was granted is used up, and the consequence is in effect for ",
                      users_held, " of ", users, " users", of_jobs);
}

bool GrantLinter::HasPoints(ReducedFactor factor) const {
  const priority::Policy& policy = snapshot_.policy();
  switch (factor) {
    case ReducedFactor::kAge:
      return policy.weight_age > 0;
    case ReducedFactor::kAssoc:
      return policy.weight_assoc > 0;
    case ReducedFactor::kFairShare:
      return policy.weight_fair_share > 0;
    case ReducedFactor::kJobSize:
      return policy.weight_job_size > 0;
    case ReducedFactor::kPartition:
      return policy.weight_partition > 0;
    case ReducedFactor::kQos:
      return policy.weight_qos > 0;
    case ReducedFactor::kTres:
      return !policy.weight_tres.empty();
    case ReducedFactor::kSite:
    case ReducedFactor::kAll:
      return true;
  }
  return true;
}

bool GrantLinter::HasNoEffect(const GrantStanding& grant) const {
  const bool basic = snapshot_.policy().priority_type == priority::PriorityType::kBasic;
  switch (grant.consequence) {
    case GrantConsequence::kDemote: {
      const int qos = snapshot_.FindQos(grant.demoted_qos);
      const uint32_t lowest = qos < 0 ? 0 : snapshot_.qos()[qos].priority;
      return basic || !HasPoints(ReducedFactor::kQos) || snapshot_.max_qos_priority() <= lowest;
    }
    case GrantConsequence::kReduce:
      return basic || grant.measure.most >= 1 || !HasPoints(grant.measure.factor);
    case GrantConsequence::kBand:
      return basic || grant.measure.most >= 4294967295.0;
    case GrantConsequence::kNone:
    case GrantConsequence::kBlock:
    case GrantConsequence::kCap:
    case GrantConsequence::kRefuse:
    case GrantConsequence::kWarn:
      return false;
  }
  return false;
}

}  // namespace

std::vector<PolicyFinding> LintGrants(const priority::Snapshot& snapshot,
                                      absl::Span<const priority::Job> jobs, absl::Time as_of) {
  if (snapshot.grants().empty()) return {};
  return GrantLinter(snapshot, jobs, as_of).Run();
}

}  // namespace priorityd::explanation
