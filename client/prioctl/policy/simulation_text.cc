#include "client/prioctl/policy/simulation_text.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/wait_text.h"
#include "client/timestamp.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::GrantedUser;
using ::priority::v1::GrantEffect;
using ::priority::v1::PriorityFactors;
using ::priority::v1::SimulatedPlace;
using ::priority::v1::SimulatedRow;
using ::priority::v1::SimulateResponse;
using ::priority::v1::SupposedGrantEffect;

// `12`, or why the row has no place.
std::string RankText(const SimulatedRow& row, bool after) {
  const bool is_there = after ? row.has_after() : row.has_before();
  if (!is_there) return "-";
  const SimulatedPlace& place = after ? row.after() : row.before();
  return place.rank() > 0 ? absl::StrCat(place.rank()) : place.ineligible_reason();
}

std::string PriorityText(const SimulatedPlace& place) {
  return place.has_priority() ? absl::StrCat(place.priority()) : "-";
}

// `up 3`, `down 12`.
std::string MoveText(const SimulatedRow& row) {
  const int64_t before = row.before().rank();
  const int64_t after = row.after().rank();
  if (before == after) return "";
  if (before == 0) return "can start";
  if (after == 0) return row.has_after() ? "cannot start" : "gone";
  return after < before ? absl::StrCat("up ", before - after)
                        : absl::StrCat("down ", after - before);
}

// The largest change of what one factor adds to the priority.
class LargestChange {
 public:
  LargestChange(const PriorityFactors& before, const PriorityFactors& after) {
    Add("site", before.site(), after.site());
    Add("age", before.age(), after.age());
    Add("assoc", before.assoc(), after.assoc());
    Add("fair-share", before.fair_share(), after.fair_share());
    Add("job size", before.job_size(), after.job_size());
    Add("partition", before.partition(), after.partition());
    Add("qos", before.qos(), after.qos());
    for (const auto& [name, value] : before.tres()) {
      const auto found = after.tres().find(name);
      Add(name, value, found == after.tres().end() ? 0 : found->second);
    }
    for (const auto& [name, value] : after.tres()) {
      if (!before.tres().contains(name)) Add(name, 0, value);
    }
  }

  // `fair-share +1234`; `-` where nothing changed.
  std::string Text() const {
    if (change_ == 0) return "-";
    return absl::StrCat(name_, absl::StrFormat(" %+.0f", change_));
  }

 private:
  void Add(const std::string& name, double before, double after) {
    const double change = after - before;
    // Of equal ones the first by name: a map has no order.
    const bool is_larger = std::abs(change) > std::abs(change_) ||
                           (std::abs(change) == std::abs(change_) && name < name_);
    if (!is_larger || std::abs(change) < .5) return;
    name_ = name;
    change_ = change;
  }

  std::string name_;
  double change_ = 0;
};

std::string MostText(const SimulatedRow& row) {
  if (!row.has_before() || !row.has_after()) return "-";
  return LargestChange(row.before().contributions(), row.after().contributions()).Text();
}

// The wait until half of such jobs have started.
std::string HalfText(const SimulatedPlace& place, absl::Time as_of) {
  if (!place.has_start_interval()) return "-";
  return WaitText(client::FromTimestamp(place.start_interval().q50_time()) - as_of);
}

void PrintForecasts(const SimulateResponse& response, std::ostream& out) {
  Table table({{"JOBID", true},
               {"PARTITION"},
               {"USER"},
               {"ACCOUNT"},
               {"RANK", true},
               {"->"},
               {"HALF WITHIN"},
               {"->"}});
  const absl::Time as_of = client::FromTimestamp(response.as_of());
  for (const SimulatedRow& row : response.rows()) {
    table.AddRow({row.job_id(), row.partition(), row.user(), row.account(), RankText(row, false),
                  RankText(row, true), HalfText(row.before(), as_of),
                  HalfText(row.after(), as_of)});
  }
  if (table.empty()) return;
  table.Print(out);
  out << "\nHALF WITHIN: half of the jobs that are submitted now with such a place start within "
         "this time.\n"
         "\n";
}

void PrintRows(const SimulateResponse& response, std::ostream& out) {
  Table table({{"JOBID", true},
               {"PARTITION"},
               {"USER"},
               {"ACCOUNT"},
               {"RANK", true},
               {"->"},
               {"MOVE"},
               {"PRIORITY", true},
               {"->", true},
               {"MOST BY"}});
  for (const SimulatedRow& row : response.rows()) {
    table.AddRow({row.job_id(), row.partition(), row.user(), row.account(), RankText(row, false),
                  RankText(row, true), MoveText(row), PriorityText(row.before()),
                  PriorityText(row.after()), MostText(row)});
  }
  if (table.empty()) return;
  table.Print(out);
  if (response.rows_total() > static_cast<uint32_t>(response.rows_size())) {
    out << "(" << response.rows_size() << " of " << CountText(response.rows_total()) << " rows)\n";
  }
  out << '\n';
}

// `before:` or `after:`, and the sentence.
void PrintGrantEffect(const char* when, const GrantEffect& effect, std::ostream& out) {
  out << "  " << when << " " << effect.text() << '\n';
  for (const GrantedUser& user : effect.users()) {
    out << "    " << user.user() << " in " << user.account() << ": "
        << CountText(user.pending_jobs()) << " pending jobs\n";
  }
}

constexpr char kUnknownUsage[] =
    "not known: the usage of a window is not settled, and is not read if it began more than 100 "
    "days "
    "ago or the caller is neither operator nor coordinator of the accounts; once the grant exists, "
    "the next recalculation reads it";
constexpr char kNoConsequence[] = "no grant with a consequence is in force";

void PrintGrants(const SimulateResponse& response, std::ostream& out) {
  for (const SupposedGrantEffect& effect : response.grant_effects()) {
    out << "grants of " << absl::StrJoin(effect.accounts(), ",");
    if (!effect.user().empty()) out << ", user " << effect.user();
    out << ", TRES " << effect.tres() << ":\n";
    GrantEffect none;
    none.set_text(kNoConsequence);
    PrintGrantEffect("before:", effect.has_before() ? effect.before() : none, out);
    if (effect.unknown()) none.set_text(kUnknownUsage);
    PrintGrantEffect("after:", effect.has_after() ? effect.after() : none, out);
  }
  if (response.grant_effects_size() > 0) out << '\n';
}

void PrintSummary(const SimulateResponse& response, std::ostream& out) {
  const int64_t rows = int64_t{response.moved_up()} + response.moved_down() + response.unmoved();
  if (rows == 0) {
    out << "The queue has no pending jobs.\n";
  } else {
    out << "Of " << CountText(rows) << " rows " << CountText(response.moved_up())
        << " would start earlier, " << CountText(response.moved_down()) << " later, "
        << CountText(response.unmoved()) << " keep their place.\n";
  }
  out << "as of " << TimeText(response.as_of(), response.has_as_of());
  if (TimeText(response.later(), response.has_later()) !=
      TimeText(response.as_of(), response.has_as_of())) {
    out << ", supposed " << TimeText(response.later(), response.has_later());
  }
  out << "; " << SnapshotText(response.snapshot()) << '\n';
}

void PrintChanges(const SimulateResponse& response, std::ostream& out) {
  Table table({{"PARAMETER"}, {"IN FORCE"}, {"IN THE FILE"}});
  for (const auto& change : response.policy_changes()) {
    table.AddRow({change.parameter(), change.before().empty() ? "-" : change.before(),
                  change.after().empty() ? "-" : change.after()});
  }
  if (table.empty()) {
    out << "no parameter is another than in force\n\n";
    return;
  }
  table.Print(out);
  out << '\n';
}

}  // namespace

void PrintSimulation(const SimulateResponse& response, const SimulationParts& parts,
                     std::ostream& out) {
  if (parts.policy) PrintChanges(response, out);
  PrintGrants(response, out);
  PrintRows(response, out);
  if (parts.forecasts) PrintForecasts(response, out);
  PrintSummary(response, out);
}

}  // namespace priorityd::prioctl
