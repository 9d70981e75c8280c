#include "engine/laboratory/grant_figures.h"

#include <algorithm>
#include <set>

#include "engine/grants/consequence.h"

namespace priorityd::laboratory {
namespace {

// Whether any of the times has a moment of [eligible, start].
bool Meets(const std::vector<InEffect>& times, absl::Time eligible, absl::Time start) {
  const auto ends_later =
      std::upper_bound(times.begin(), times.end(), eligible,
                       [](absl::Time time, const InEffect& effect) { return time < effect.end; });
  return ends_later != times.end() && ends_later->begin <= start;
}

// A mean of waits.
class Waits {
 public:
  void Add(const HistoryJob& job, const std::optional<absl::Time>& start) {
    if (!start.has_value()) return;
    seconds_ += absl::ToDoubleSeconds(*start - job.eligible);
    ++jobs_;
  }
  double mean() const { return jobs_ == 0 ? 0 : seconds_ / static_cast<double>(jobs_); }

 private:
  double seconds_ = 0;
  int64_t jobs_ = 0;
};

GrantFigures FiguresOfOne(const TriedGrant& grant, const std::vector<InEffect>& times,
                          const Period& period) {
  const grants::Settings& settings = grant.settings;
  GrantFigures figures{.name = grant.name};
  figures.consequence =
      grants::ConsequenceText({settings.consequence, settings.demoted_qos, settings.measure});
  if (!times.empty()) figures.first = times.front().begin;
  for (const InEffect& effect : times) {
    figures.length +=
        std::max(std::min(effect.end, period.end) - effect.begin, absl::ZeroDuration());
  }
  return figures;
}

std::vector<priority::AssociationIndex> AssociationsOf(const Site& site,
                                                       absl::Span<const HistoryJob> jobs) {
  std::vector<priority::AssociationIndex> associations;
  associations.reserve(jobs.size());
  for (const HistoryJob& job : jobs) associations.push_back(AssociationOf(site, job));
  return associations;
}

}  // namespace

std::vector<GrantFigures> FiguresOf(const Site& site, absl::Span<const HistoryJob> jobs,
                                    const std::vector<TriedGrant>& grants,
                                    const std::vector<std::vector<InEffect>>& in_effect,
                                    const Schedule& with, const Schedule& without,
                                    const Period& period) {
  const std::vector<priority::AssociationIndex> associations = AssociationsOf(site, jobs);
  std::vector<GrantFigures> all;
  for (size_t g = 0; g < grants.size(); ++g) {
    GrantFigures& figures = all.emplace_back(FiguresOfOne(grants[g], in_effect[g], period));
    if (in_effect[g].empty()) continue;
    const std::vector<bool> owns = OwnedBy(site, grants[g].settings);
    std::set<absl::string_view> users;
    Waits waits, waits_without;
    for (size_t i = 0; i < jobs.size(); ++i) {
      const priority::AssociationIndex association = associations[i];
      if (association == priority::kNoAssociation || !owns[association]) continue;
      const absl::Time start = with.starts[i].value_or(absl::InfiniteFuture());
      if (!IsMeasured(jobs[i], period) || !Meets(in_effect[g], jobs[i].eligible, start)) continue;
      ++figures.jobs;
      users.insert(jobs[i].user);
      waits.Add(jobs[i], with.starts[i]);
      waits_without.Add(jobs[i], without.starts[i]);
    }
    figures.users = static_cast<int64_t>(users.size());
    figures.wait = waits.mean();
    figures.wait_without = waits_without.mean();
  }
  return all;
}

}  // namespace priorityd::laboratory
