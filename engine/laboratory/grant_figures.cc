#include "engine/laboratory/grant_figures.h"

#include <algorithm>
#include <set>

#include "absl/algorithm/container.h"
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

RefusedUser& UserOf(const std::string& user, std::vector<RefusedUser>* users) {
  const auto found =
      absl::c_find_if(*users, [&](const RefusedUser& one) { return one.user == user; });
  return found != users->end() ? *found : users->emplace_back(RefusedUser{.user = user});
}

void AddRefused(absl::Span<const HistoryJob> jobs, absl::Span<const Refusal> refused, size_t grant,
                const Schedule& without, const Period& period, GrantFigures* figures) {
  Waits waits_without;
  for (const Refusal& refusal : refused) {
    const HistoryJob& job = jobs[refusal.job];
    if (refusal.grant != grant || !IsMeasured(job, period)) continue;
    RefusedUser& user = UserOf(job.user, &figures->refused);
    if (user.jobs++ == 0) user.first = refusal.at;
    user.last = refusal.at;
    ++figures->jobs;
    waits_without.Add(job, without.starts[refusal.job]);
  }
  figures->users = static_cast<int64_t>(figures->refused.size());
  figures->wait_without = waits_without.mean();
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
                                    const std::vector<TriedGrant>& grants, const Played& with,
                                    const Schedule& without, const Period& period) {
  const std::vector<priority::AssociationIndex> associations = AssociationsOf(site, jobs);
  std::vector<GrantFigures> all;
  for (size_t g = 0; g < grants.size(); ++g) {
    const std::vector<InEffect>& times = with.in_effect[g];
    GrantFigures& figures = all.emplace_back(FiguresOfOne(grants[g], times, period));
    if (times.empty() && with.held.empty()) continue;
    if (grants[g].settings.consequence == priority::GrantConsequence::kRefuse) {
      AddRefused(jobs, with.refused, g, without, period, &figures);
      continue;
    }
    const std::vector<bool> owns = OwnedBy(site, grants[g].settings);
    std::set<absl::string_view> users;
    Waits waits, waits_without;
    for (size_t i = 0; i < jobs.size(); ++i) {
      const priority::AssociationIndex association = associations[i];
      if (association == priority::kNoAssociation || !owns[association]) continue;
      const absl::Time start = with.schedule.starts[i].value_or(absl::InfiniteFuture());
      if (!IsMeasured(jobs[i], period)) continue;
      if (!Meets(times, jobs[i].eligible, start) && !with.held.contains({g, i})) continue;
      ++figures.jobs;
      users.insert(jobs[i].user);
      waits.Add(jobs[i], with.schedule.starts[i]);
      waits_without.Add(jobs[i], without.starts[i]);
    }
    figures.users = static_cast<int64_t>(users.size());
    figures.wait = waits.mean();
    figures.wait_without = waits_without.mean();
  }
  return all;
}

}  // namespace priorityd::laboratory
