#include "client/prioctl/site/cluster_move.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/text.h"
#include "client/rpc_error.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ClusterMove;
using ::priority::v1::GetStatusRequest;
using ::priority::v1::MoveClusterRequest;
using ::priority::v1::MovedTable;
using ::priority::v1::ReadClusterRowsRequest;
using ::priority::v1::WriteClusterRowsRequest;
namespace v1 = ::priority::v1;

// The rows that remain to be copied when the cluster is frozen: well below a second.
constexpr int64_t kFewRows = 5000;
// More rounds catch up with no cluster that grows as fast as it is copied.
constexpr int kMaxRounds = 30;
constexpr absl::Duration kLoadPatience = absl::Seconds(30);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(50);

// `prioctl cluster move NAME --to CELL`
struct ClusterMoveOptions {
  std::string name;
  std::string to;
  std::string comment;
  bool cancel = false;
  FleetOptions fleet;
};

bool IsAtSource(const ClusterMove& move) {
  return move.state() == v1::MOVE_STATE_HERE || move.state() == v1::MOVE_STATE_LEAVING ||
         move.state() == v1::MOVE_STATE_FROZEN ||
         (move.state() == v1::MOVE_STATE_MOVED && move.rows_left());
}

struct FoundCell {
  std::string cell;
  std::unique_ptr<client::PriorityClient> client;
  ClusterMove move;
};

absl::StatusOr<FoundCell> FindIn(const FleetCell& cell, const std::string& cluster,
                                 const client::PriorityClient& client) {
  FoundCell place{cell.name, ConnectTo(cell, client, /*patient=*/true), {}};
  MoveClusterRequest request;
  request.set_cluster(cluster);
  request.set_step(v1::MOVE_STEP_LOOK);
  auto move = ConnectTo(cell, client)->MoveCluster(std::move(request));
  if (!move.ok()) return ErrorOfCell(cell.name, *place.client, move.status());
  place.move = *std::move(move);
  return place;
}

// The error of a cell that FindIn did not ask.
absl::Status NotAsked(const ClusterMoveOptions& options, const absl::Status& status) {
  if (!options.cancel) return status;
  return client::Retold(status,
                        absl::StrCat(status.message(),
                                     "; --cancel needs the answer of each cell, since a cell that "
                                     "has taken the cluster over keeps it"));
}

// The ends of the move.
struct Ends {
  FoundCell source;
  FoundCell target;
  bool taken_over = false;  // Another cell than `target` has the cluster: nothing undoes the move.
};

absl::StatusOr<Ends> FindEnds(const ClusterMoveOptions& options,
                              const client::PriorityClient& client) {
  auto cells = ReadFleet(options.fleet);
  if (!cells.ok()) return cells.status();
  const auto to = std::find_if(cells->begin(), cells->end(),
                               [&](const FleetCell& cell) { return cell.name == options.to; });
  if (to == cells->end()) {
    return OptionError(absl::StrCat(
        "--to: got ", options.to, ", want one of ",
        absl::StrJoin(*cells, ", ",
                      [](std::string* out, const FleetCell& cell) { *out += cell.name; })));
  }
  Ends ends;
  auto target = FindIn(*to, options.name, client);
  if (!target.ok()) return NotAsked(options, target.status());
  ends.target = *std::move(target);
  for (const FleetCell& cell : *cells) {
    if (cell.name == options.to) continue;
    auto place = FindIn(cell, options.name, client);
    if (!place.ok()) return NotAsked(options, place.status());
    if (place->move.state() == v1::MOVE_STATE_ARRIVED) ends.taken_over = true;
    if (IsAtSource(place->move)) ends.source = *std::move(place);
  }
  return ends;
}

// `move`: at the source.
absl::Status MovesElsewhere(const ClusterMoveOptions& options, const ClusterMove& move,
                            bool taken_over) {
  const bool is_decided = taken_over || move.state() == v1::MOVE_STATE_MOVED;
  return absl::FailedPreconditionError(absl::StrCat(
      "--to: got ", options.to, ", want ", move.cell(), ", to which the cluster is moving; --to ",
      move.cell(), is_decided ? " finishes that move" : " --cancel undoes that move"));
}

// No other cell has the cluster to give it away: the target has it, or none.
absl::Status AnswerWithoutSource(const ClusterMoveOptions& options, const Ends& ends,
                                 Console& console) {
  const ClusterMove& move = ends.target.move;
  const bool is_here = move.state() == v1::MOVE_STATE_HERE;
  if (!is_here && IsAtSource(move)) return MovesElsewhere(options, move, ends.taken_over);
  if (!is_here) {
    return absl::NotFoundError(absl::StrCat("cluster: got \"", options.name,
                                            "\", want one that a cell of the fleet has; `prioctl "
                                            "fleet map` lists them"));
  }
  if (options.cancel) {
    return absl::FailedPreconditionError(
        absl::StrCat("--cancel: got cluster ", options.name, ", which is in cell ", options.to,
                     " already, want one that is being moved; to move it back: prioctl cluster "
                     "move ",
                     options.name, " --to CELL"));
  }
  console.out << "cluster " << options.name << " is in cell " << options.to << " already\n";
  return absl::OkStatus();
}

absl::Status Run(const ClusterMoveOptions& options, const client::PriorityClient& client,
                 Console& console) {
  auto ends = FindEnds(options, client);
  if (!ends.ok()) return ends.status();
  const FoundCell& source = ends->source;
  if (source.client == nullptr) return AnswerWithoutSource(options, *ends, console);
  const bool moves = source.move.state() != v1::MOVE_STATE_HERE;
  if (moves && source.move.cell() != options.to) {
    return MovesElsewhere(options, source.move, ends->taken_over);
  }
  const auto report = [&](const std::string& line) { console.out << line << std::endl; };
  ClusterMover mover(options.name, options.comment, {source.cell, source.client.get()},
                     {options.to, ends->target.client.get()}, report);
  return options.cancel ? mover.Cancel() : mover.Run();
}

}  // namespace

void AddClusterMoveOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ClusterMoveOptions>(app, line, Run);
  AddClusterName(app, line, "NAME", options->name, "The cluster")->required();
  app->add_option("--to", options->to, "The cell to move it to")->required()->type_name("CELL");
  app->add_option("--comment", options->comment, "The reason, for the audit log");
  app->add_flag("--cancel", options->cancel, "Undo a move before its switch (docs/scale.md)");
  AddFleet(app, options->fleet);
}

absl::StatusOr<ClusterMove> ClusterMover::Make(const MoveEnd& end, Step step) const {
  MoveClusterRequest request;
  request.set_cluster(cluster_);
  request.set_step(step);
  request.set_move_id(at_source_.move_id());
  request.set_cell(&end == &source_ ? target_.cell : source_.cell);
  request.set_schema_version(at_source_.schema_version());
  request.set_last_audit_event(at_source_.last_audit_event());
  request.set_comment(comment_);
  auto made = end.client->MoveCluster(std::move(request));
  if (made.ok()) return made;
  return ErrorOfCell(absl::StrCat(end.cell, ", ", v1::MoveStep_Name(step)), *end.client,
                     made.status());
}

absl::Status ClusterMover::Run() {
  if (absl::Status s = Start(); !s.ok()) return s;
  if (at_source_.state() == v1::MOVE_STATE_LEAVING) {
    if (absl::Status s = CopyWhileItChanges(); !s.ok()) return s;
  }
  if (at_source_.state() != v1::MOVE_STATE_MOVED) {
    if (absl::Status s = Switch(); !s.ok()) return s;
  }
  return Finish();
}

absl::Status ClusterMover::Start() {
  auto found = Make(source_, v1::MOVE_STEP_LOOK);
  if (!found.ok()) return found.status();
  at_source_ = *std::move(found);
  if (at_source_.state() == v1::MOVE_STATE_MOVED) return absl::OkStatus();
  // A tombstone of an earlier move has its id.
  if (at_source_.state() == v1::MOVE_STATE_HERE) at_source_.clear_move_id();
  auto leaving = Make(source_, v1::MOVE_STEP_LEAVE);
  if (!leaving.ok()) return leaving.status();
  at_source_ = *std::move(leaving);
  auto arriving = Make(target_, v1::MOVE_STEP_ARRIVE);
  if (!arriving.ok()) return arriving.status();
  report_(absl::StrCat("moving cluster ", cluster_, " from cell ", source_.cell, " to cell ",
                       target_.cell, " (move ", at_source_.move_id(), ")"));
  return absl::OkStatus();
}

absl::Status ClusterMover::CopyWhileItChanges() {
  int64_t all = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    auto leaving = Make(source_, v1::MOVE_STEP_LEAVE);
    if (!leaving.ok()) return leaving.status();
    auto rows = Copy(v1::MOVE_STAGE_LIVE);
    if (!rows.ok()) return rows.status();
    all += *rows;
    if (*rows < kFewRows) break;
  }
  report_(absl::StrCat("copied ", CountText(all), " rows of the ledger while it is written"));
  return absl::OkStatus();
}

absl::Status ClusterMover::Switch() {
  const absl::Time begin = absl::Now();
  auto frozen = Make(source_, v1::MOVE_STEP_FREEZE);
  if (!frozen.ok()) return frozen.status();
  at_source_ = *std::move(frozen);
  auto rows = CopyFrozen();
  if (!rows.ok()) return rows.status();
  if (auto s = Make(target_, v1::MOVE_STEP_ACTIVATE); !s.ok()) return s.status();
  if (absl::Status s = AwaitRankings(); !s.ok()) return s;
  auto moved = Make(source_, v1::MOVE_STEP_REDIRECT);
  if (!moved.ok()) return moved.status();
  at_source_ = *std::move(moved);
  report_(
      absl::StrCat("switched; changes waited for ",
                   absl::FormatDuration(absl::Trunc(absl::Now() - begin, absl::Milliseconds(1))),
                   ", ", CountText(*rows), " rows"));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ClusterMover::CopyFrozen() {
  auto there = Make(target_, v1::MOVE_STEP_LOOK);
  if (!there.ok()) return there.status();
  // The tool was killed after MOVE_STEP_ACTIVATE: the target has all rows, and takes no more.
  if (there->state() == v1::MOVE_STATE_ARRIVED) return 0;
  auto ledger = Copy(v1::MOVE_STAGE_LIVE);
  if (!ledger.ok()) return ledger.status();
  auto state = Copy(v1::MOVE_STAGE_FROZEN);
  if (!state.ok()) return state.status();
  return *ledger + *state;
}

absl::Status ClusterMover::Finish() {
  auto there = Make(target_, v1::MOVE_STEP_LOOK);
  if (!there.ok()) return there.status();
  if (there->state() == v1::MOVE_STATE_ARRIVED) {
    auto rows = Copy(v1::MOVE_STAGE_HISTORY);
    if (!rows.ok()) return rows.status();
    report_(absl::StrCat("copied ", CountText(*rows), " rows of history"));
    if (auto s = Make(target_, v1::MOVE_STEP_END); !s.ok()) return s.status();
  }
  if (auto s = Make(source_, v1::MOVE_STEP_END); !s.ok()) return s.status();
  report_(absl::StrCat("cluster ", cluster_, " is in cell ", target_.cell));
  return absl::OkStatus();
}

absl::Status ClusterMover::Cancel() {
  auto found = Make(source_, v1::MOVE_STEP_LOOK);
  if (!found.ok()) return found.status();
  at_source_ = *std::move(found);
  if (at_source_.state() == v1::MOVE_STATE_HERE) {
    return absl::FailedPreconditionError(
        absl::StrCat("cluster: got ", cluster_, ", want one that is being moved"));
  }
  auto there = Make(target_, v1::MOVE_STEP_LOOK);
  if (!there.ok()) return there.status();
  // The target first: once it has the cluster, the source must not be used again.
  if (there->move_id() == at_source_.move_id()) {
    if (auto s = Make(target_, v1::MOVE_STEP_CANCEL); !s.ok()) return s.status();
  }
  if (auto s = Make(source_, v1::MOVE_STEP_CANCEL); !s.ok()) return s.status();
  report_(absl::StrCat("cluster ", cluster_, " stays in cell ", source_.cell));
  return absl::OkStatus();
}

absl::Status ClusterMover::AwaitRankings() const {
  GetStatusRequest request;
  request.set_cluster(cluster_);
  auto source = source_.client->GetStatus(request);
  if (!source.ok()) return ErrorOfCell(source_.cell, *source_.client, source.status());
  const int64_t wanted = source->clusters_size() == 1 ? source->clusters(0).generation() : 0;
  const absl::Time deadline = absl::Now() + kLoadPatience;
  for (;;) {
    auto target = target_.client->GetStatus(request);
    const bool loaded =
        target.ok() && target->clusters_size() == 1 && target->clusters(0).generation() >= wanted;
    if (loaded) return absl::OkStatus();
    if (absl::Now() > deadline) {
      return absl::UnavailableError(
          absl::StrCat("cell ", target_.cell, ": got no rankings of cluster ", cluster_, " within ",
                       absl::FormatDuration(kLoadPatience), ", want them before clients switch"));
    }
    absl::SleepFor(kBetweenLooks);
  }
}

absl::StatusOr<int64_t> ClusterMover::Copy(Stage stage) {
  auto there = Make(target_, v1::MOVE_STEP_LOOK);
  if (!there.ok()) return there.status();
  int64_t all = 0;
  for (const MovedTable& table : there->tables()) {
    const bool is_done = table.complete() && stage != v1::MOVE_STAGE_LIVE;
    if (table.stage() != stage || is_done) continue;
    auto rows = CopyTable(table);
    if (!rows.ok()) return rows.status();
    all += *rows;
  }
  return all;
}

absl::StatusOr<int64_t> ClusterMover::CopyTable(const MovedTable& table) const {
  MovedTable progress = table;
  for (;;) {
    ReadClusterRowsRequest read;
    read.set_cluster(cluster_);
    read.set_move_id(at_source_.move_id());
    read.set_table(table.name());
    *read.mutable_after() = progress.after();
    auto page = source_.client->ReadClusterRows(std::move(read));
    if (!page.ok()) return ErrorOfCell(source_.cell, *source_.client, page.status());
    const bool is_last = page->complete();
    const std::vector<std::string> last(page->last().begin(), page->last().end());
    WriteClusterRowsRequest write;
    write.set_cluster(cluster_);
    write.set_move_id(at_source_.move_id());
    *write.mutable_after() = progress.after();
    *write.mutable_rows() = *std::move(page);
    auto written = target_.client->WriteClusterRows(std::move(write));
    if (!written.ok()) return ErrorOfCell(target_.cell, *target_.client, written.status());
    progress = *std::move(written);
    const bool is_written =
        std::equal(last.begin(), last.end(), progress.after().begin(), progress.after().end());
    if (is_last && is_written && progress.complete()) return progress.rows() - table.rows();
  }
}

}  // namespace priorityd::prioctl
