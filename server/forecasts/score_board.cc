#include "server/forecasts/score_board.h"

#include "absl/strings/str_cat.h"
#include "engine/forecast/job_class.h"

namespace priorityd::forecasts {

void ScoreBoard::Add(const forecast::Outcome& outcome, int64_t at) {
  forecast::Score score;
  score.Add(outcome.scored);
  total_ += score;
  last_start_ = at;
  AddRecent(score.below > 0 ? Hit::kBelow : score.above > 0 ? Hit::kAbove : Hit::kHeld);
  const forecast::Job& job = outcome.job;
  for (const std::string& group :
       {absl::StrCat("partition=", job.partition), absl::StrCat("size=", forecast::SizeClass(job)),
        absl::StrCat("limit=", forecast::LimitClass(job)), absl::StrCat("user=", job.user)}) {
    if (groups_.size() >= kMostGroups && !groups_.contains(group)) continue;
    groups_[group] += score;
  }
}

void ScoreBoard::AddRecent(Hit hit) {
  last_.push_back(hit);
  Count(hit, 1);
  if (last_.size() <= kMostRecent) return;
  Count(last_.front(), -1);
  last_.pop_front();
}

void ScoreBoard::Count(Hit hit, int64_t by) {
  recent_.count += by;
  recent_.held += hit == Hit::kHeld ? by : 0;
  recent_.above_q90 += hit == Hit::kAbove ? by : 0;
}

}  // namespace priorityd::forecasts
