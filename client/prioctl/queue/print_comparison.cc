#include "client/prioctl/queue/print_comparison.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::BranchShare;
using ::priority::v1::Comparison;

std::string JobText(const ::priority::v1::ComparedJob& job) {
  return absl::StrCat("JOB ", job.job_id());
}

void PrintFactors(const Comparison& comparison, std::ostream& out) {
  out << (comparison.factors().empty() ? "" : "\nfactors side by side\n");
  const std::string job = JobText(comparison.job());
  const std::string other = JobText(comparison.compare_to());
  Table table({{"NAME"},
               {absl::StrCat(job, " FACTOR"), true},
               {absl::StrCat(other, " FACTOR"), true},
               {absl::StrCat(job, " POINTS"), true},
               {absl::StrCat(other, " POINTS"), true},
               {"DIFFERENCE", true}});
  for (const auto& factor : comparison.factors()) {
    table.AddRow({factor.name(), NumberText(factor.job().factor()),
                  NumberText(factor.compare_to().factor()),
                  absl::StrFormat("%.2f", factor.job().contribution()),
                  absl::StrFormat("%.2f", factor.compare_to().contribution()),
                  absl::StrFormat("%+.2f", factor.difference())});
  }
  table.Print(out);
}

void AddBranch(const std::string& job, const BranchShare& branch, Table& table) {
  const ::priority::v1::AssociationShare& share = branch.association();
  table.AddRow(
      {job,
       share.user().empty() ? share.account() : absl::StrCat(share.account(), "/", share.user()),
       share.parent_shares() ? "parent" : absl::StrCat(share.raw_shares()),
       absl::StrFormat("%.1f%%", 100 * branch.shares()), AmountText(share.raw_usage()),
       absl::StrFormat("%.1f%%", 100 * branch.usage()), LevelFsText(share),
       share.has_fair_share() ? NumberText(share.fair_share()) : "-"});
}

void PrintBranches(const Comparison& comparison, std::ostream& out) {
  if (!comparison.has_branches()) return;
  const auto& ancestor = comparison.branches().ancestor();
  out << "\nbranches below " << ancestor.account() << ", in parts of it\n";
  Table table({{"JOB"},
               {"BRANCH"},
               {"RAW SHARES", true},
               {"DUE", true},
               {"RAW USAGE", true},
               {"USED", true},
               {"LEVELFS", true},
               {"FAIRSHARE", true}});
  AddBranch(comparison.job().job_id(), comparison.branches().job(), table);
  AddBranch(comparison.compare_to().job_id(), comparison.branches().compare_to(), table);
  table.Print(out);
}

}  // namespace

void PrintComparison(const Comparison& comparison, std::ostream& out) {
  out << "\ncompared to job " << comparison.compare_to().job_id() << " of "
      << comparison.compare_to().user() << '\n';
  for (const std::string& sentence : comparison.sentences()) out << sentence << '\n';
  PrintFactors(comparison, out);
  PrintBranches(comparison, out);
  if (comparison.changes().empty()) return;
  out << "\nwhat would reverse the order, each by itself\n";
  for (const auto& change : comparison.changes()) out << change.sentence() << '\n';
}

}  // namespace priorityd::prioctl
