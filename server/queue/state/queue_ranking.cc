#include "server/queue/state/queue_ranking.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/priority/jobs/job_id.h"
#include "engine/priority/ranking/row_answers.h"
#include "engine/priority/ranking/row_filter.h"
#include "engine/priority/ranking/scored_queue.h"
#include "engine/priority/ranking/start_order.h"
#include "server/queue/state/chunk_scorer.h"

namespace priorityd::queue {
namespace {

// Finds the rows of the answer: counts all jobs, then searches for the first rows in order of the
// bounds.
class Scan {
 public:
  Scan(const QueueState& state, const priority::RankOptions& options, size_t running_limit)
      : state_(state),
        options_(options),
        running_limit_(running_limit),
        as_of_us_(absl::ToUnixMicros(options.as_of)),
        bound_(state.scale().moments.For(options.as_of)),
        filter_(state.snapshot(), options),
        scorer_(state, options.as_of),
        first_(options.limit, options.best_only, state.rows()) {
    for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) Count(chunk);
    FindFirst();
  }

  size_t ranked_total() const {
    return options_.best_only ? totals_.ranked_jobs : totals_.ranked_rows;
  }
  std::vector<priority::FirstRows::Row> TakeRanked() { return std::move(first_).Take(); }
  size_t ineligible_total() const { return totals_.ineligible_jobs; }
  size_t running_total() const { return totals_.running_jobs; }
  size_t rows_scored() const { return rows_scored_; }
  // By job id.
  std::vector<JobPlace> TakeIneligible() { return Sorted(ineligible_, options_.ineligible_limit); }
  std::vector<JobPlace> TakeRunning() { return Sorted(running_, running_limit_); }
  bool AccrueLimited(JobPlace place) const { return scorer_.AccrueLimited(place); }

 private:
  struct Totals {
    size_t ranked_rows = 0;
    size_t ranked_jobs = 0;
    size_t ineligible_jobs = 0;
    size_t running_jobs = 0;
  };
  // A chunk, or one of its blocks, that may contain some of the first rows.
  struct Candidate {
    static constexpr uint32_t kWhole = UINT32_MAX;

    priority::RowBound bound;
    uint32_t chunk;
    uint32_t block;  // kWhole = the chunk.
  };
  // Orders a heap with the best bound on top.
  static bool Later(const Candidate& a, const Candidate& b) { return b.bound < a.bound; }

  absl::string_view JobId(const JobPlace& place) const {
    return state_.chunks()[place.chunk]->table().job_id[place.job];
  }
  void Count(uint32_t chunk);
  // Counts from the summary; nullopt if it does not apply to the options.
  std::optional<ChunkCounts> CountsKnown(uint32_t chunk) const;
  // Counts and lists by a pass over the jobs.
  ChunkCounts CountJobs(uint32_t chunk);
  void CountJob(JobPlace place, ChunkCounts* counts);
  void CountUnranked(JobPlace place, bool running, ChunkCounts* counts);
  void FindFirst();
  void Push(const Candidate& candidate);
  void AddBlock(const Candidate& block);
  std::vector<JobPlace> Sorted(std::vector<JobPlace>& places, size_t limit) const;

  const QueueState& state_;
  const priority::RankOptions& options_;
  const size_t running_limit_;
  const int64_t as_of_us_;
  const BoundMoments::At bound_;
  priority::RowFilter filter_;
  ChunkScorer scorer_;
  priority::FirstRows first_;
  Totals totals_;
  size_t rows_scored_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<JobPlace> ineligible_;
  std::vector<JobPlace> running_;
};

void Scan::Count(uint32_t chunk) {
  const std::optional<ChunkCounts> known = CountsKnown(chunk);
  const bool listed =
      known.has_value() && ((options_.ineligible_limit > 0 && known->ineligible_jobs > 0) ||
                            (running_limit_ > 0 && known->running_jobs > 0));
  const ChunkCounts counts = known.has_value() && !listed ? *known : CountJobs(chunk);
  totals_.ranked_rows += counts.ranked_rows;
  totals_.ranked_jobs += counts.ranked_jobs;
  totals_.ineligible_jobs += counts.ineligible_jobs;
  totals_.running_jobs += counts.running_jobs;
  if (counts.ranked_rows == 0) return;
  candidates_.push_back({bound_.Of(state_.summaries()[chunk].bounds), chunk, Candidate::kWhole});
}

std::optional<ChunkCounts> Scan::CountsKnown(uint32_t chunk) const {
  if (!filter_.PassesAll() || !scorer_.NoneLimited(chunk)) return std::nullopt;
  const ChunkSummary& summary = state_.summaries()[chunk];
  if (summary.latest_begin_us <= as_of_us_) return summary.counts;
  const ChunkDigest& digest = state_.chunks()[chunk]->digest();
  if (!digest.HoldsAt(as_of_us_)) return std::nullopt;
  return digest.CountsAt(as_of_us_);
}

ChunkCounts Scan::CountJobs(uint32_t chunk) {
  scorer_.Look(chunk, &filter_);
  ChunkCounts counts;
  for (uint32_t job = 0; job < scorer_.table().jobs(); ++job) CountJob({chunk, job}, &counts);
  return counts;
}

void Scan::CountJob(JobPlace place, ChunkCounts* counts) {
  const priority::JobTable& table = scorer_.table();
  const uint32_t begin = table.first_row[place.job];
  const uint32_t end = table.first_row[place.job + 1];
  if (begin == end) {
    const priority::Job job = state_.chunks()[place.chunk]->job(place.job).job;
    if (!filter_.PassesUnresolved(job, table.association[place.job])) return;
    return CountUnranked(place, job.state != priority::JobState::kPending, counts);
  }
  uint32_t ranked = 0;
  bool startable = false;
  bool wanted = false;
  for (uint32_t row = begin; row < end; ++row) {
    const bool starts = scorer_.Startable(row);
    startable = startable || starts;
    wanted = wanted || scorer_.Wanted(row);
    ranked += starts && scorer_.Wanted(row);
  }
  counts->ranked_rows += ranked;
  counts->ranked_jobs += ranked > 0;
  if (wanted && !startable) CountUnranked(place, table.Running(begin), counts);
}

void Scan::CountUnranked(JobPlace place, bool running, ChunkCounts* counts) {
  ++(running ? counts->running_jobs : counts->ineligible_jobs);
  if ((running ? running_limit_ : options_.ineligible_limit) == 0) return;
  (running ? running_ : ineligible_).push_back(place);
}

void Scan::FindFirst() {
  std::make_heap(candidates_.begin(), candidates_.end(), Later);
  while (!candidates_.empty() && !first_.Closed(candidates_.front().bound)) {
    const Candidate best = candidates_.front();
    std::pop_heap(candidates_.begin(), candidates_.end(), Later);
    candidates_.pop_back();
    if (best.block != Candidate::kWhole) {
      AddBlock(best);
      continue;
    }
    const absl::Span<const RowBounds> blocks = state_.chunks()[best.chunk]->digest().blocks();
    for (uint32_t i = 0; i < blocks.size(); ++i) Push({bound_.Of(blocks[i]), best.chunk, i});
  }
}

void Scan::Push(const Candidate& candidate) {
  if (first_.Closed(candidate.bound)) return;
  candidates_.push_back(candidate);
  std::push_heap(candidates_.begin(), candidates_.end(), Later);
}

void Scan::AddBlock(const Candidate& block) {
  const priority::JobTable& table = state_.chunks()[block.chunk]->table();
  const uint32_t begin = block.block * ChunkDigest::kBlockJobs;
  const uint32_t end =
      std::min<uint32_t>(begin + ChunkDigest::kBlockJobs, static_cast<uint32_t>(table.jobs()));
  scorer_.Look(block.chunk, {begin, end}, &filter_);
  scorer_.Score();
  rows_scored_ += table.first_row[end] - table.first_row[begin];
  first_.Add(block.chunk, scorer_.Order());
}

std::vector<JobPlace> Scan::Sorted(std::vector<JobPlace>& places, size_t limit) const {
  const auto before = [this](const JobPlace& a, const JobPlace& b) {
    return priority::CompareJobIds(JobId(a), JobId(b)) < 0;
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

// Builds the answer from the results of a scan.
class Answer {
 public:
  Answer(const QueueState& state, const priority::RankOptions& options, const Scan& scan,
         std::vector<priority::Job>* jobs)
      : state_(state), options_(options), scan_(scan), jobs_(*jobs) {}

  void Add(const std::vector<priority::FirstRows::Row>& ranked,
           const std::vector<JobPlace>& ineligible, const std::vector<JobPlace>& running,
           priority::Ranking* ranking) {
    for (const priority::FirstRows::Row& row : ranked) AddJob(PlaceOf(row));
    const uint32_t first_unranked = static_cast<uint32_t>(jobs_.size());
    for (const JobPlace& place : ineligible) AddJob(place);
    for (const JobPlace& place : running) AddJob(place);
    const priority::WholeQueue whole{&state_.counts(), accrue_limited_};
    const priority::ScoredQueue queue(state_.snapshot(), jobs_, options_.as_of, &whole);
    priority::RowFilter filter(state_.snapshot(), options_);
    const std::vector<uint8_t> wanted = filter.Wanted(queue.table());
    priority::RowAnswers answers(queue, options_, wanted, ranking);
    std::vector<bool> seen(jobs_.size());
    for (const priority::FirstRows::Row& row : ranked) {
      const JobPlace place = PlaceOf(row);
      const uint32_t job = index_.at(Key(place));
      const uint32_t offset = row.row - Table(row).first_row[place.job];
      answers.AddRanked(queue.table().first_row[job] + offset, !seen[job]);
      seen[job] = true;
    }
    for (uint32_t job = first_unranked; job < jobs_.size(); ++job) answers.AddUnranked(job, true);
  }

 private:
  const priority::JobTable& Table(const priority::FirstRows::Row& row) const {
    return state_.chunks()[row.table]->table();
  }
  JobPlace PlaceOf(const priority::FirstRows::Row& row) const {
    return {row.table, Table(row).job[row.row]};
  }
  static uint64_t Key(const JobPlace& place) { return uint64_t{place.chunk} << 32 | place.job; }

  void AddJob(const JobPlace& place) {
    if (!index_.emplace(Key(place), static_cast<uint32_t>(jobs_.size())).second) return;
    jobs_.push_back(state_.chunks()[place.chunk]->ranked_job(place.job));
    accrue_limited_.push_back(scan_.AccrueLimited(place));
  }

  const QueueState& state_;
  const priority::RankOptions& options_;
  const Scan& scan_;
  std::vector<priority::Job>& jobs_;
  std::vector<uint8_t> accrue_limited_;  // By index into jobs_.
  absl::flat_hash_map<uint64_t, uint32_t> index_;
};

}  // namespace

QueueRanking Rank(std::shared_ptr<const QueueState> state, const priority::RankOptions& options,
                  size_t running_limit) {
  QueueRanking answer;
  answer.state = std::move(state);
  Scan scan(*answer.state, options, running_limit);
  answer.running_total = scan.running_total();
  answer.rows_scored = scan.rows_scored();
  const size_t ineligible_total = scan.ineligible_total();
  const std::vector<priority::FirstRows::Row> ranked = scan.TakeRanked();
  const std::vector<JobPlace> ineligible = scan.TakeIneligible();
  const std::vector<JobPlace> running = scan.TakeRunning();
  Answer(*answer.state, options, scan, &answer.jobs)
      .Add(ranked, ineligible, running, &answer.ranking);
  answer.ranking.ranked_total = scan.ranked_total();
  answer.ranking.ineligible_total = ineligible_total;
  return answer;
}

}  // namespace priorityd::queue
