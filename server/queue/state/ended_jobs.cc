#include "server/queue/state/ended_jobs.h"

#include "absl/hash/hash.h"

namespace priorityd::queue {

size_t EndedJobs::PartOf(absl::string_view job_id) {
  return absl::Hash<absl::string_view>()(job_id) % kParts;
}

void EndedJobs::Apply(absl::Span<const Change> changes) {
  std::array<std::vector<const Change*>, kParts> by_part;
  for (const Change& change : changes) by_part[PartOf(change.first)].push_back(&change);
  for (size_t i = 0; i < kParts; ++i) {
    if (by_part[i].empty()) continue;
    auto part =
        parts_[i] == nullptr ? std::make_shared<Part>() : std::make_shared<Part>(*parts_[i]);
    size_ -= part->size();
    for (const auto* change : by_part[i]) {
      if (change->second.empty()) {
        part->erase(change->first);
      } else {
        (*part)[change->first] = std::string(change->second);
      }
    }
    size_ += part->size();
    parts_[i] = part->empty() ? nullptr : std::move(part);
  }
}

absl::string_view EndedJobs::Find(absl::string_view job_id) const {
  const auto& part = parts_[PartOf(job_id)];
  if (part == nullptr) return "";
  const auto found = part->find(job_id);
  return found == part->end() ? absl::string_view() : found->second;
}

void EndedJobs::ForEach(absl::FunctionRef<void(absl::string_view packed)> visit) const {
  for (const auto& part : parts_) {
    if (part == nullptr) continue;
    for (const auto& [job_id, packed] : *part) visit(packed);
  }
}

}  // namespace priorityd::queue
