// The RPCs of PriorityService for forecasts.
#include <memory>
#include <utility>

#include "server/api/forecasts/forecast_starts.h"
#include "server/api/forecasts/score_forecasts.h"
#include "server/api/forecasts/validate_forecast.h"
#include "server/api/plans/complete_description.h"
#include "server/api/plans/convert_plan.h"
#include "server/api/priority_service.h"
#include "server/messages/view.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

std::shared_ptr<forecasts::Book> PriorityService::BookOf(const priority::Snapshot& snapshot) const {
  return options_.forecasts->Find(snapshot.cluster().name);
}

forecasts::Nodes PriorityService::NodesOf(
    const std::shared_ptr<const priority::Snapshot>& snapshot) const {
  const KnownNodes::Description known = known_nodes_.Of(snapshot);
  if (known == nullptr) return nullptr;
  const auto description = CompleteDescription(*known, nullptr, snapshot->policy().scheduling);
  if (!description.ok()) return nullptr;
  return std::make_shared<const scheduling::ClusterDescription>(FromProto(*description));
}

forecasts::PlanSource PriorityService::PlanSourceOf(
    const std::shared_ptr<const priority::Snapshot>& snapshot,
    std::shared_ptr<forecasts::Book> book) const {
  if (book == nullptr) return {};
  return {.nodes = NodesOf(snapshot), .run_time = [book = std::move(book)](const auto& job) {
            return book->ExpectedRunTime(job);
          }};
}

absl::Status PriorityService::Forecast(const Caller& caller,
                                       const v1::ForecastStartsRequest& request,
                                       v1::ForecastStartsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  if (absl::Status s = CheckForecasts(*options_.forecasts); !s.ok()) return s;
  const auto state = options_.queues->State(View(request.cluster()));
  if (!state.ok()) return state.status();
  const priority::Snapshot& snapshot = (*state)->snapshot();
  const std::shared_ptr<forecasts::Book> book = BookOf(snapshot);
  forecasts::PlanSource source;
  if (!request.jobs().jobs().empty()) source = PlanSourceOf((*state)->scale().snapshot, book);
  return rpc::ForecastStarts(caller, *state, book.get(), source, Now(snapshot), request, response);
}

absl::Status PriorityService::ForecastScores(const Caller& caller,
                                             const v1::ScoreForecastsRequest& request,
                                             v1::ScoreForecastsResponse* response) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  if (absl::Status s = CheckForecasts(*options_.forecasts); !s.ok()) return s;
  const auto snapshot = options_.registry->Find(View(request.cluster()));
  if (!snapshot.ok()) return snapshot.status();
  rpc::ScoreForecasts(caller, **snapshot, BookOf(**snapshot).get(), response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
