#include "engine/explanation/grant_text.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/explanation/time_text.h"

namespace priorityd::explanation {
namespace {

using priority::GrantStanding;
using priority::Penalty;
using priority::ReducedFactor;
using priority::Snapshot;

// By ReducedFactor, as in Slurm's names of weights.
constexpr absl::string_view kFactorNames[] = {"Age",       "Assoc", "FairShare", "JobSize",
                                              "Partition", "QOS",   "TRES",      "site"};

std::string PercentText(double part) { return absl::StrFormat("%.6g%%", 100 * part); }

// `grant q4 of account chem is used up until 2026-12-31T00:00:00+01:00`
std::string UsedUpText(const Snapshot& snapshot, const GrantStanding& grant,
                       priority::AssociationIndex association) {
  return absl::StrCat(GrantName(snapshot.tree(), grant, association), " is used up",
                      UntilText(snapshot, grant));
}

std::string Capitalised(std::string text) {
  text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  return text;
}

// The factors that the grant, an index, reduces: `FairShare`, `Age and QOS`, `every factor`.
std::string FactorsOfGrant(const Penalty& penalty, int32_t grant) {
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < priority::kReducedFactors; ++i) {
    if (penalty.parts[i].grant == grant) names.push_back(kFactorNames[i]);
  }
  if (names.size() == priority::kReducedFactors) return "every factor";
  const absl::string_view last = names.back();
  names.pop_back();
  return names.empty() ? std::string(last)
                       : absl::StrCat(absl::StrJoin(names, ", "), " and ", last);
}

}  // namespace

std::string GrantTitle(const priority::GrantStanding& grant) {
  return absl::StrCat("grant ", grant.name,
                      grant.domain.empty() ? "" : absl::StrCat(" of domain ", grant.domain));
}

std::string GrantName(const priority::AssociationTree& tree, const priority::GrantStanding& grant,
                      priority::AssociationIndex association) {
  priority::AssociationIndex at = association;
  while (!absl::c_linear_search(grant.accounts, tree.account(at))) at = tree.parent()[at];
  const size_t more = grant.accounts.size() - 1;
  return absl::StrCat(GrantTitle(grant), " of ",
                      grant.user.empty() ? "" : absl::StrCat("user ", grant.user, " in "),
                      "account ", tree.account(at),
                      more == 0 ? "" : absl::StrCat(" and ", more, " more"));
}

std::string UntilText(const priority::Snapshot& snapshot, const priority::GrantStanding& grant) {
  if (grant.until == absl::InfiniteFuture()) return "";
  return absl::StrCat(" until ", MomentText(grant.until, snapshot.policy().time_zone));
}

std::string WithText(const priority::GrantStanding& grant) {
  std::vector<absl::string_view> parts;
  if (grant.has_grace) parts.push_back("Grace");
  if (grant.has_borrow) parts.push_back("Borrow");
  if (grant.has_others) parts.push_back("other grants of its owner");
  if (parts.empty()) return "";
  const absl::string_view last = parts.back();
  parts.pop_back();
  return absl::StrCat(", with ", absl::StrJoin(parts, ", "), parts.empty() ? "" : " and ", last);
}

std::string DemotionText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                         int qos) {
  const int counted = snapshot.FactorQos(association, qos);
  if (counted == qos) return "";
  const priority::GrantStanding& grant = *snapshot.DemotingGrant(association);
  return absl::StrCat("QOS ", grant.demoted_qos, counted < 0 ? ", which does not exist," : "",
                      " instead of ", snapshot.qos()[qos].name, ": ",
                      UsedUpText(snapshot, grant, association));
}

std::string ReductionText(const Snapshot& snapshot, priority::AssociationIndex association,
                          ReducedFactor factor) {
  const Penalty* penalty = snapshot.penalties().Of(association);
  if (penalty == nullptr || penalty->Of(factor).grant < 0) return "";
  const Penalty::Part& part = penalty->Of(factor);
  return absl::StrCat("; ", PercentText(part.part), " of its points count by ",
                      GrantTitle(snapshot.grants()[part.grant]));
}

std::vector<std::string> LoweredTexts(const Snapshot& snapshot,
                                      priority::AssociationIndex association) {
  std::vector<std::string> texts;
  const Penalty* penalty = snapshot.penalties().Of(association);
  if (penalty == nullptr) return texts;
  std::vector<int32_t> listed = {-1};
  for (const Penalty::Part& part : penalty->parts) {
    if (absl::c_linear_search(listed, part.grant)) continue;
    listed.push_back(part.grant);
    texts.push_back(absl::StrCat(PercentText(part.part), " of the points of ",
                                 FactorsOfGrant(*penalty, part.grant), ": ",
                                 UsedUpText(snapshot, snapshot.grants()[part.grant], association)));
  }
  if (penalty->band_grant < 0) return texts;
  texts.push_back(
      absl::StrCat("a priority of at most ", static_cast<uint32_t>(penalty->band), ": ",
                   UsedUpText(snapshot, snapshot.grants()[penalty->band_grant], association)));
  return texts;
}

std::vector<std::string> GrantNotes(const Snapshot& snapshot,
                                    priority::AssociationIndex association) {
  std::vector<std::string> notes;
  const Penalty* penalty = snapshot.penalties().Of(association);
  if (penalty == nullptr) return notes;
  const auto add = [&](int32_t index, const std::string& what) {
    const GrantStanding& grant = snapshot.grants()[index];
    notes.push_back(
        absl::StrCat(Capitalised(UsedUpText(snapshot, grant, association)), ": ", what, "."));
  };
  for (const int32_t i : penalty->capping) {
    const priority::GrantMeasure& measure = snapshot.grants()[i].measure;
    add(i, absl::StrFormat("its running jobs have at most %.0f %s, others wait", measure.most,
                           measure.tres));
  }
  for (const int32_t i : penalty->refusing) {
    add(i, absl::StrCat("new jobs that request ", snapshot.grants()[i].tres, " are refused"));
  }
  for (const int32_t i : penalty->warning) add(i, "nothing else happens");
  return notes;
}

}  // namespace priorityd::explanation
