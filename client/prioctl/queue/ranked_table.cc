#include "client/prioctl/queue/ranked_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::IneligibleJob;
using ::priority::v1::PriorityFactors;
using ::priority::v1::RankedJob;

const std::vector<Column> kFactorColumns = {
    {"SITE", true},      {"AGE", true},     {"ASSOC", true},
    {"FAIRSHARE", true}, {"JOBSIZE", true}, {"PARTITION", true},
    {"QOS", true},       {"NICE", true},    {"TRES"}};

std::string Whole(double contribution) { return absl::StrFormat("%.0f", contribution); }

// The points of each factor, in kFactorColumns' order.
void AppendContributions(const PriorityFactors& contributions, std::vector<std::string>& cells) {
  for (const double value :
       {contributions.site(), contributions.age(), contributions.assoc(),
        contributions.fair_share(), contributions.job_size(), contributions.partition(),
        contributions.qos(), contributions.nice()}) {
    cells.push_back(Whole(value));
  }
  std::vector<std::string> tres;
  for (const auto& [name, value] : contributions.tres()) {
    tres.push_back(absl::StrCat(name, "=", Whole(value)));
  }
  std::sort(tres.begin(), tres.end());
  cells.push_back(absl::StrJoin(tres, ","));
}

}  // namespace

void PrintRanked(const google::protobuf::RepeatedPtrField<RankedJob>& rows, bool explain,
                 std::ostream& out, const MoreColumn* more) {
  std::vector<Column> columns = {{"RANK", true}, {"JOBID", true},    {"USER"},
                                 {"ACCOUNT"},    {"PARTITION"},      {"QOS"},
                                 {"TIER", true}, {"PRIORITY", true}, {"BEST"}};
  if (explain) columns.insert(columns.end(), kFactorColumns.begin(), kFactorColumns.end());
  if (more != nullptr) columns.push_back({more->name});
  Table table(columns);
  for (const RankedJob& job : rows) {
    std::vector<std::string> cells = {absl::StrCat(job.rank()),
                                      job.job_id(),
                                      job.user(),
                                      job.account(),
                                      job.partition(),
                                      job.qos(),
                                      absl::StrCat(job.priority_tier()),
                                      PriorityText(job),
                                      job.best_of_job() ? "yes" : "no"};
    if (explain) AppendContributions(job.contributions(), cells);
    if (more != nullptr) cells.push_back(more->cell(job));
    table.AddRow(std::move(cells));
  }
  table.Print(out);
}

void PrintIneligible(const google::protobuf::RepeatedPtrField<IneligibleJob>& jobs,
                     std::ostream& out) {
  if (jobs.empty()) return;
  out << "\nnot eligible:\n";
  Table table({{"JOBID", true},
               {"USER"},
               {"ACCOUNT"},
               {"PARTITION"},
               {"QOS"},
               {"REASON"},
               {"PRIORITY", true},
               {"WHY"}});
  for (const IneligibleJob& job : jobs) {
    table.AddRow({job.job_id(), job.user(), job.account(), job.partition(), job.qos(), job.reason(),
                  PriorityText(job), SentenceText(job.message())});
  }
  table.Print(out);
}

}  // namespace priorityd::prioctl
