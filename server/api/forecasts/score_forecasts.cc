#include "server/api/forecasts/score_forecasts.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/api/forecasts/convert_forecast.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

void ScoreForecasts(const Caller& caller, const priority::Snapshot& snapshot,
                    const forecasts::Book* book, v1::ScoreForecastsResponse* response) {
  response->set_cluster(snapshot.cluster().name);
  if (book == nullptr) return;
  const forecasts::Standing standing = book->standing(true);
  ToProto("", standing.total, response->add_scores());
  const std::string own = absl::StrCat("user=", caller.user());
  for (const auto& [group, score] : standing.groups) {
    const bool is_of_another = absl::StartsWith(group, "user=") && group != own;
    if (is_of_another && !caller.speaks_for_all()) continue;
    ToProto(group, score, response->add_scores());
  }
  response->set_model(standing.model);
  response->set_examples(standing.examples);
  if (standing.last_start > 0) {
    ToProto(absl::FromUnixSeconds(standing.last_start), response->mutable_last_start());
  }
}

}  // namespace priorityd::rpc
