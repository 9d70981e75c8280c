#include "server/queue/state/queue_ranking.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/priority/job_id.h"
#include "server/priority/row_answers.h"
#include "server/priority/row_filter.h"
#include "server/priority/scored_queue.h"
#include "server/priority/start_order.h"
#include "server/queue/state/chunk_scorer.h"

namespace priorityd::queue {
namespace {

// Goes over the columns and finds what is to be answered.
class Scan {
 public:
  Scan(const QueueState& state, const priority::RankOptions& options)
      : state_(state),
        options_(options),
        filter_(state.snapshot(), options),
        scorer_(state, options.as_of),
        first_(options.limit, options.best_only, state.rows()) {
    for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
      if (!scorer_.Score(chunk, &filter_)) {
        first_.Skip();
        continue;
      }
      const size_t before = first_.total();
      first_.Add(scorer_.Order());
      const priority::JobTable& table = scorer_.table();
      const bool each_job_is_ranked = table.one_row_each && table.rows() == table.jobs() &&
                                      first_.total() - before == table.rows();
      if (each_job_is_ranked) continue;
      for (uint32_t job = 0; job < table.jobs(); ++job) AddUnranked({chunk, job});
    }
  }

  size_t ranked_total() const { return first_.total(); }
  std::vector<priority::FirstRows::Row> TakeRanked() { return std::move(first_).Take(); }
  size_t ineligible_total() const { return ineligible_.size(); }
  size_t running_total() const { return running_.size(); }
  // By job id.
  std::vector<JobPlace> TakeIneligible() { return Sorted(ineligible_, options_.ineligible_limit); }
  std::vector<JobPlace> TakeRunning(size_t limit) { return Sorted(running_, limit); }
  bool AccrueLimited(JobPlace place) const { return scorer_.AccrueLimited(place); }

 private:
  absl::string_view JobId(const JobPlace& place) const {
    return state_.chunks()[place.chunk]->table().job_id[place.job];
  }
  void AddUnranked(JobPlace place);
  std::vector<JobPlace> Sorted(std::vector<JobPlace>& places, size_t limit) const;

  const QueueState& state_;
  const priority::RankOptions& options_;
  priority::RowFilter filter_;
  ChunkScorer scorer_;
  priority::FirstRows first_;
  std::vector<JobPlace> ineligible_;
  std::vector<JobPlace> running_;
};

void Scan::AddUnranked(JobPlace place) {
  const priority::JobTable& table = scorer_.table();
  const uint32_t begin = table.first_row[place.job];
  const uint32_t end = table.first_row[place.job + 1];
  if (begin == end) {
    const priority::Job job = state_.chunks()[place.chunk]->job(place.job).job;
    if (!filter_.PassesUnresolved(job, table.association[place.job])) return;
    (job.state == priority::JobState::kPending ? ineligible_ : running_).push_back(place);
    return;
  }
  bool wanted = false;
  for (uint32_t row = begin; row < end; ++row) {
    if (scorer_.Startable(row)) return;
    wanted = wanted || scorer_.Wanted(row);
  }
  if (wanted) (table.Running(begin) ? running_ : ineligible_).push_back(place);
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

// Makes the answer of what a scan found.
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
    const priority::WholeQueue whole{state_.running(), accrue_limited_};
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
    jobs_.push_back(state_.chunks()[place.chunk]->job(place.job).job);
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
  Scan scan(*answer.state, options);
  answer.running_total = scan.running_total();
  const size_t ineligible_total = scan.ineligible_total();
  const std::vector<priority::FirstRows::Row> ranked = scan.TakeRanked();
  const std::vector<JobPlace> ineligible = scan.TakeIneligible();
  const std::vector<JobPlace> running = scan.TakeRunning(running_limit);
  Answer(*answer.state, options, scan, &answer.jobs)
      .Add(ranked, ineligible, running, &answer.ranking);
  answer.ranking.ranked_total = scan.ranked_total();
  answer.ranking.ineligible_total = ineligible_total;
  return answer;
}

}  // namespace priorityd::queue
