#include "server/queue/state/tracked_queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/queue/state/dependency.h"
#include "server/queue/state/job_memory.h"
#include "server/queue/state/packed_job.h"

namespace priorityd::queue {
namespace {

// Small enough for fast changes, large enough to amortize the cost per chunk.
constexpr uint32_t kChunkJobs = 256;

std::string NameKey(absl::string_view user, absl::string_view name) {
  return absl::StrCat(user, absl::string_view("\0", 1), name);
}

template <typename Map>
const typename Map::mapped_type& IdsOf(const Map& map, absl::string_view key) {
  static const auto& kNone = *new typename Map::mapped_type;
  const auto found = map.find(key);
  return found == map.end() ? kNone : found->second;
}

template <typename Map>
void Enter(Map& map, absl::string_view key, absl::string_view job_id, bool there) {
  if (there) {
    map[key].insert(std::string(job_id));
    return;
  }
  const auto found = map.find(key);
  if (found == map.end()) return;
  found->second.erase(std::string(job_id));
  if (found->second.empty()) map.erase(found);
}

}  // namespace

TrackedQueue::TrackedQueue(std::shared_ptr<const priority::Snapshot> snapshot) {
  SetSnapshot(std::move(snapshot));
}

TrackedQueue::~TrackedQueue() = default;

std::optional<TrackedJob> TrackedQueue::Find(absl::string_view job_id) const {
  const auto found = chunk_of_.find(job_id);
  if (found == chunk_of_.end()) {
    const absl::string_view ended = ended_.Find(job_id);
    if (ended.empty()) return std::nullopt;
    return UnpackJob(ended);
  }
  const JobChunk& chunk = *chunks_[found->second];
  const auto& ids = chunk.table().job_id;
  return chunk.job(std::find(ids.begin(), ids.end(), job_id) - ids.begin());
}

void TrackedQueue::ForEach(absl::FunctionRef<void(const TrackedJob&)> visit) const {
  for (const auto& chunk : chunks_) {
    for (size_t i = 0; i < chunk->size(); ++i) visit(chunk->job(i));
  }
}

void TrackedQueue::ForEachEnded(absl::FunctionRef<void(const TrackedJob&)> visit) const {
  ended_.ForEach([visit](absl::string_view packed) { visit(UnpackJob(packed)); });
}

const TrackedQueue::JobIds& TrackedQueue::WaitingFor(absl::string_view job_id) const {
  return IdsOf(waiting_for_, job_id);
}

const Namesakes& TrackedQueue::Named(absl::string_view user, absl::string_view name) const {
  return IdsOf(named_, NameKey(user, name));
}

const TrackedQueue::JobIds& TrackedQueue::Singletons(absl::string_view user,
                                                     absl::string_view name) const {
  return IdsOf(singletons_, NameKey(user, name));
}

const TrackedQueue::JobIds& TrackedQueue::TasksOf(absl::string_view array_job_id) const {
  return IdsOf(tasks_of_, array_job_id);
}

void TrackedQueue::Apply(absl::Span<const JobChange> changes) {
  if (changes.empty()) return;
  Edits latest;
  for (const JobChange& change : changes) latest[change.job_id] = &change;
  absl::flat_hash_map<uint32_t, Edits> edits;
  std::vector<EndedJobs::Change> ended;
  for (const JobChange& change : changes) {
    if (latest[change.job_id] != &change) continue;
    if (const auto old = Find(change.job_id)) Note(*old, false);
    if (!change.packed.empty()) Note(UnpackJob(change.packed), true);
    AssignToChunk(change, &edits, &ended);
  }
  ended_.Apply(ended);
  priority::LimitCounts counts = state_->counts();
  for (const auto& [chunk, jobs] : edits) {
    const std::shared_ptr<const JobChunk> old = std::exchange(chunks_[chunk], Rebuild(chunk, jobs));
    Count(*old, jobs, false, &counts);
    Count(*chunks_[chunk], jobs, true, &counts);
  }
  state_ = std::make_shared<const QueueState>(scale_, chunks_, ended_, std::move(counts));
}

void TrackedQueue::Count(const JobChunk& chunk, const Edits& edits, bool there,
                         priority::LimitCounts* counts) const {
  const priority::Snapshot& snapshot = *scale_->snapshot;
  const priority::JobTable& table = chunk.table();
  for (uint32_t i = 0; i < table.jobs() && !chunk.demands().empty(); ++i) {
    if (!edits.contains(table.job_id[i])) continue;
    counts->Count(snapshot.limits(), chunk.demands().Counted(snapshot, table, i), there);
  }
}

void TrackedQueue::AssignToChunk(const JobChange& change,
                                 absl::flat_hash_map<uint32_t, Edits>* edits,
                                 std::vector<EndedJobs::Change>* ended) {
  const bool has_ended = !change.packed.empty() && UnpackJob(change.packed).ended();
  const bool gone = change.packed.empty() || has_ended;
  if (has_ended || !ended_.Find(change.job_id).empty()) {
    ended->emplace_back(change.job_id, has_ended ? absl::string_view(change.packed) : "");
  }
  const auto found = chunk_of_.find(change.job_id);
  if (found == chunk_of_.end() && gone) return;
  const uint32_t chunk = found != chunk_of_.end() ? found->second : PlaceForNew();
  (*edits)[chunk][change.job_id] = &change;
  if (gone) {
    if (--fill_[chunk] < kChunkJobs / 2) roomy_.insert(chunk);
    chunk_of_.erase(found);
  } else if (found == chunk_of_.end()) {
    chunk_of_.emplace(change.job_id, chunk);
  }
}

uint32_t TrackedQueue::PlaceForNew() {
  while (!roomy_.empty() && fill_[*roomy_.begin()] >= kChunkJobs) roomy_.erase(roomy_.begin());
  if (!roomy_.empty()) {
    ++fill_[*roomy_.begin()];
    return *roomy_.begin();
  }
  if (fill_.empty() || fill_.back() >= kChunkJobs) {
    fill_.push_back(0);
    chunks_.push_back(
        std::make_shared<const JobChunk>(std::make_shared<const PackedJobs>(), *scale_, *builder_));
  }
  ++fill_.back();
  return static_cast<uint32_t>(fill_.size() - 1);
}

std::shared_ptr<const JobChunk> TrackedQueue::Rebuild(uint32_t chunk, const Edits& edits) {
  const JobChunk& old = *chunks_[chunk];
  auto jobs = std::make_shared<PackedJobs>();
  absl::flat_hash_map<absl::string_view, const JobChange*> rest = edits;
  const auto add = [&](const JobChange& change) {
    const auto found = chunk_of_.find(change.job_id);
    if (found != chunk_of_.end() && found->second == chunk) jobs->Add(change.packed);
  };
  for (size_t i = 0; i < old.size(); ++i) {
    const auto edit = rest.find(old.table().job_id[i]);
    if (edit == rest.end()) {
      jobs->Add(old.jobs()->packed(i));
      continue;
    }
    add(*edit->second);
    rest.erase(edit);
  }
  for (const auto& [job_id, change] : rest) add(*change);
  jobs->ShrinkToFit();
  return std::make_shared<const JobChunk>(std::move(jobs), *scale_, *builder_);
}

void TrackedQueue::CountUser(const TrackedJob& job, bool there) {
  const size_t bytes = MemoryOf(job);
  held_.Count(bytes, there);
  const auto counted = held_by_.try_emplace(job.job.user).first;
  counted->second.Count(bytes, there);
  if (counted->second.jobs == 0) held_by_.erase(counted);
}

void TrackedQueue::Note(const TrackedJob& job, bool there) {
  CountUser(job, there);
  if (!job.array_job_id.empty()) Enter(tasks_of_, job.array_job_id, job.job.job_id, there);
  if (job.ended()) return;
  if (!job.name.empty()) {
    const auto named = named_.try_emplace(NameKey(job.job.user, job.name)).first;
    named->second.Enter(job, there);
    if (named->second.empty()) named_.erase(named);
  }
  if (!job.dependency.empty()) NoteDependency(job, there);
}

void TrackedQueue::NoteDependency(const TrackedJob& job, bool there) {
  const auto dependency = ParseDependency(job.dependency);
  if (!dependency.ok()) return;
  for (const DependencyTerm& term : dependency->terms) {
    if (term.type == DependencyType::kSingleton && !job.name.empty()) {
      Enter(singletons_, NameKey(job.job.user, job.name), job.job.job_id, there);
    }
    for (const absl::string_view id : term.job_ids) {
      for (const absl::string_view heard : IdsToHearOf(id)) {
        Enter(waiting_for_, heard, job.job.job_id, there);
      }
    }
  }
}

void TrackedQueue::SetSnapshot(std::shared_ptr<const priority::Snapshot> snapshot) {
  scale_ = std::make_shared<const QueueScale>(std::move(snapshot));
  builder_ = std::make_unique<priority::JobTableBuilder>(scale_->factors, absl::InfinitePast());
  chunks_ = Rescale(chunks_, *scale_);
  state_ = std::make_shared<const QueueState>(scale_, chunks_, ended_);
}

}  // namespace priorityd::queue
