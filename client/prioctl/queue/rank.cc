#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/queue/ranked_table.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl rank [FILE]`
struct RankOptions {
  std::string file;  // `-` = standard input; empty = the tracked queue
  AsOf as_of;
  uint32_t limit = 0;  // 0 = all
  bool best_only = false;
  bool explain = false;  // with a column for each factor
  bool json = false;
};

using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;

RankJobsRequest MakeRequest(const RankOptions& options) {
  RankJobsRequest request;
  request.set_limit(options.limit);
  // Programs get all that are ineligible; people asked for a short answer.
  if (options.limit > 0 && !options.json) request.set_ineligible_limit(options.limit);
  // Tables do not show them, but for their number.
  if (!options.json) request.set_running_limit(0);
  request.set_best_only(options.best_only);
  request.set_view(::priority::v1::RANK_VIEW_FULL);  // BASIC has neither user nor account.
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  return request;
}

void PrintSummary(const RankJobsResponse& response, std::ostream& out) {
  out << absl::StrCat("\n", response.ranked_size(), " of ", response.ranked_total(),
                      " rows in start order",
                      response.ranked_others() == 0
                          ? ""
                          : absl::StrCat(" (", response.ranked_others(), " places are of others)"),
                      ", ", response.ineligible_size(), " of ", response.ineligible_total(),
                      " not eligible, ", response.running_total(), " running; as of ",
                      TimeText(response.as_of(), response.has_as_of()), "\n",
                      SnapshotText(response.snapshot()), "\n");
}

absl::Status Run(const RankOptions& options, const client::PriorityClient& client,
                 Console& console) {
  RankJobsRequest request = MakeRequest(options);
  if (absl::Status s = SetQueue(options.file, &request); !s.ok()) return s;
  const absl::StatusOr<RankJobsResponse> response = client.RankJobs(request);
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  PrintRanked(response->ranked(), options.explain, console.out);
  PrintIneligible(response->ineligible(), console.out);
  PrintSummary(*response, console.out);
  return absl::OkStatus();
}

void AddRankOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<RankOptions>(app, line, Run);
  AddQueueFile(app, options->file);
  AddAsOf(app, options->as_of, "Rank for this time, not for now");
  app->add_option("--limit", options->limit, "Only so many ranked rows, and as many not eligible")
      ->type_name("N");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  app->add_flag("--explain", options->explain, "Add what each factor contributes");
  AddJson(app, options->json);
}

}  // namespace

const Command kRankCommand = {"rank", "Order a queue: which job should start first",
                              AddRankOptions};

}  // namespace priorityd::prioctl
