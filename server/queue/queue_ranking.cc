#include "server/queue/queue_ranking.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/priority/job_id.h"
#include "server/priority/row_answers.h"
#include "server/priority/row_filter.h"
#include "server/priority/scored_queue.h"
#include "server/priority/scoring.h"
#include "server/priority/start_order.h"

namespace priorityd::queue {
namespace {

// Where a job stands.
struct Place {
  uint32_t chunk;
  uint32_t job;
};

// Goes over the columns and finds what is to be answered.
class Scan {
 public:
  Scan(const QueueState& state, const RankOptions& options)
      : state_(state),
        options_(options),
        as_of_us_(absl::ToUnixMicros(options.as_of)),
        filter_(state.snapshot(), options),
        limits_(state.snapshot(), state.running(), options.as_of),
        marks_(state.AccrueMarksAt(options.as_of)),
        first_(options.limit, options.best_only, state.rows()) {
    for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) ScanChunk(chunk);
  }

  size_t ranked_total() const { return first_.total(); }
  std::vector<FirstRows::Row> TakeRanked() { return std::move(first_).Take(); }
  size_t ineligible_total() const { return ineligible_.size(); }
  size_t running_total() const { return running_.size(); }
  // By job id.
  std::vector<Place> TakeIneligible() { return Sorted(ineligible_, options_.ineligible_limit); }
  std::vector<Place> TakeRunning(size_t limit) { return Sorted(running_, limit); }
  bool AccrueLimited(Place place) const {
    const std::vector<uint8_t>& limited = marks_->limited[place.chunk];
    return !limited.empty() && limited[place.job] != 0;
  }

 private:
  const JobTable& Table(uint32_t chunk) const { return state_.chunks()[chunk]->table(); }

  void ScanChunk(uint32_t index);
  // `wanted` less what a limit on usage keeps back.
  void DropLimited(const JobChunk& chunk);
  void AddUnranked(uint32_t chunk, uint32_t job);
  std::vector<Place> Sorted(std::vector<Place>& places, size_t limit) const;

  const QueueState& state_;
  const RankOptions& options_;
  const int64_t as_of_us_;
  RowFilter filter_;
  LimitCheck limits_;
  std::shared_ptr<const AccrueMarks> marks_;
  FirstRows first_;
  std::vector<Place> ineligible_;
  std::vector<Place> running_;
  // Of the chunk at hand, by row.
  std::vector<uint32_t> priorities_;
  std::vector<uint8_t> wanted_;     // 1 = by the filter; empty = all.
  std::vector<uint8_t> limited_;    // 1 = kept back by a limit; empty = none.
  std::vector<uint8_t> startable_;  // 1 = wanted and not limited; empty = all.
};

void Scan::ScanChunk(uint32_t index) {
  const JobChunk& chunk = *state_.chunks()[index];
  const JobTable& table = chunk.table();
  wanted_ = filter_.Wanted(table);
  startable_ = wanted_;
  if (!limits_.empty()) DropLimited(chunk);
  Score(table, state_.scale().factors, options_.as_of, priorities_, marks_->flags[index]);
  first_.Add(StartOrder(state_.scale().tiers, table, priorities_, options_.as_of, startable_));
  for (uint32_t job = 0; job < table.jobs(); ++job) AddUnranked(index, job);
}

void Scan::DropLimited(const JobChunk& chunk) {
  const JobTable& table = chunk.table();
  if (startable_.empty()) startable_.assign(table.rows(), 1);
  limited_.assign(table.rows(), 0);
  for (size_t row = 0; row < table.rows(); ++row) {
    if (limits_.ReasonAt(table, chunk.demands(), row) == Reason::kNone) continue;
    limited_[row] = 1;
    startable_[row] = 0;
  }
}

void Scan::AddUnranked(uint32_t chunk, uint32_t job) {
  const JobTable& table = Table(chunk);
  const uint32_t begin = table.first_row[job];
  const uint32_t end = table.first_row[job + 1];
  if (begin == end) {
    const Job& unresolved = state_.chunks()[chunk]->job(job).job;
    if (!filter_.PassesUnresolved(unresolved, table.association[job])) return;
    (unresolved.state == JobState::kPending ? ineligible_ : running_).push_back({chunk, job});
    return;
  }
  bool wanted = false;
  for (uint32_t row = begin; row < end; ++row) {
    const bool limited = !limited_.empty() && limited_[row] != 0;
    if (!limited && !table.Running(row) && table.ReasonAt(row, as_of_us_) == Reason::kNone) return;
    wanted = wanted || wanted_.empty() || wanted_[row] != 0;
  }
  if (!wanted) return;
  (table.Running(begin) ? running_ : ineligible_).push_back({chunk, job});
}

std::vector<Place> Scan::Sorted(std::vector<Place>& places, size_t limit) const {
  const auto before = [this](const Place& a, const Place& b) {
    return CompareJobIds(Table(a.chunk).job_id[a.job], Table(b.chunk).job_id[b.job]) < 0;
  };
  if (limit < places.size()) {
    if (limit > 0) {
      std::nth_element(places.begin(), places.begin() + (limit - 1), places.end(), before);
    }
    places.resize(limit);
  }
  std::sort(places.begin(), places.end(), before);
  return std::move(places);
}

// Makes the answer of what a scan found.
class Answer {
 public:
  Answer(const QueueState& state, const RankOptions& options, const Scan& scan,
         std::vector<Job>* jobs)
      : state_(state), options_(options), scan_(scan), jobs_(*jobs) {}

  void Add(const std::vector<FirstRows::Row>& ranked, const std::vector<Place>& ineligible,
           const std::vector<Place>& running, Ranking* ranking) {
    for (const FirstRows::Row& row : ranked) AddJob(PlaceOf(row));
    const uint32_t first_unranked = static_cast<uint32_t>(jobs_.size());
    for (const Place& place : ineligible) AddJob(place);
    for (const Place& place : running) AddJob(place);
    const WholeQueue whole{state_.running(), accrue_limited_};
    const ScoredQueue queue(state_.snapshot(), jobs_, options_.as_of, whole);
    RowFilter filter(state_.snapshot(), options_);
    const std::vector<uint8_t> wanted = filter.Wanted(queue.table());
    RowAnswers answers(queue, options_, wanted, ranking);
    std::vector<bool> seen(jobs_.size());
    for (const FirstRows::Row& row : ranked) {
      const Place place = PlaceOf(row);
      const uint32_t job = index_.at(Key(place));
      const uint32_t offset = row.row - Table(row).first_row[place.job];
      answers.AddRanked(queue.table().first_row[job] + offset, !seen[job]);
      seen[job] = true;
    }
    for (uint32_t job = first_unranked; job < jobs_.size(); ++job) answers.AddUnranked(job, true);
  }

 private:
  const JobTable& Table(const FirstRows::Row& row) const {
    return state_.chunks()[row.table]->table();
  }
  Place PlaceOf(const FirstRows::Row& row) const { return {row.table, Table(row).job[row.row]}; }
  static uint64_t Key(const Place& place) { return uint64_t{place.chunk} << 32 | place.job; }

  void AddJob(const Place& place) {
    if (!index_.emplace(Key(place), static_cast<uint32_t>(jobs_.size())).second) return;
    jobs_.push_back(state_.chunks()[place.chunk]->job(place.job).job);
    accrue_limited_.push_back(scan_.AccrueLimited(place));
  }

  const QueueState& state_;
  const RankOptions& options_;
  const Scan& scan_;
  std::vector<Job>& jobs_;
  std::vector<uint8_t> accrue_limited_;  // By index into jobs_.
  absl::flat_hash_map<uint64_t, uint32_t> index_;
};

}  // namespace

QueueRanking Rank(std::shared_ptr<const QueueState> state, const RankOptions& options,
                  size_t running_limit) {
  QueueRanking answer;
  answer.state = std::move(state);
  Scan scan(*answer.state, options);
  answer.running_total = scan.running_total();
  const size_t ineligible_total = scan.ineligible_total();
  const std::vector<FirstRows::Row> ranked = scan.TakeRanked();
  const std::vector<Place> ineligible = scan.TakeIneligible();
  const std::vector<Place> running = scan.TakeRunning(running_limit);
  Answer(*answer.state, options, scan, &answer.jobs)
      .Add(ranked, ineligible, running, &answer.ranking);
  answer.ranking.ranked_total = scan.ranked_total();
  answer.ranking.ineligible_total = ineligible_total;
  return answer;
}

}  // namespace priorityd::queue
