#include "client/prioctl/replay/report_json.h"

#include <vector>

#include "nlohmann/json.hpp"

namespace priorityd::replay {
namespace {

using Json = nlohmann::ordered_json;

std::string TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone());
}

// null for what never ends.
Json Seconds(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return nullptr;
  return absl::ToDoubleSeconds(duration);
}

Json ToJson(const laboratory::Spread& spread) {
  return {{"jobs", spread.jobs},
          {"mean", spread.mean},
          {"median", spread.median},
          {"p95", spread.p95},
          {"largest", spread.largest}};
}

Json ToJson(const std::vector<laboratory::Group>& groups) {
  Json json = Json::array();
  for (const laboratory::Group& group : groups) {
    Json& one = json.emplace_back(Json{{"name", group.name},
                                       {"jobs", group.jobs},
                                       {"wait_seconds", ToJson(group.wait)},
                                       {"mean_bounded_slowdown", group.slowdown},
                                       {"cpu_seconds", group.cpu_seconds},
                                       {"usage", group.usage}});
    if (group.share.has_value()) one["share"] = *group.share;
  }
  return json;
}

Json ToJson(const laboratory::Difference& difference) {
  return {{"jobs", difference.jobs},
          {"same_start", difference.same},
          {"earlier", difference.earlier},
          {"later", difference.later},
          {"mean_seconds", difference.mean_seconds},
          {"largest_seconds", difference.largest_seconds}};
}

Json ToJson(const Forecasts& forecasts) {
  return {{"jobs", forecasts.jobs},
          {"before_q10", forecasts.before_q10},
          {"after_q90", forecasts.after_q90},
          {"median_wait_seconds", forecasts.median_wait},
          {"median_length_seconds", forecasts.median_length}};
}

Json ToJson(const std::vector<laboratory::GrantFigures>& grants) {
  Json json = Json::array();
  for (const laboratory::GrantFigures& grant : grants) {
    Json& one = json.emplace_back(Json{{"name", grant.name},
                                       {"consequence", grant.consequence},
                                       {"used_up", nullptr},
                                       {"used_up_seconds", Seconds(grant.length)},
                                       {"jobs", grant.jobs},
                                       {"users", grant.users},
                                       {"mean_wait_seconds", grant.wait},
                                       {"mean_wait_seconds_without", grant.wait_without}});
    if (grant.first.has_value()) one["used_up"] = TimeText(*grant.first);
    for (const laboratory::RefusedUser& user : grant.refused) {
      one["refused"].push_back({{"user", user.user},
                                {"jobs", user.jobs},
                                {"first", TimeText(user.first)},
                                {"last", TimeText(user.last)}});
    }
  }
  return json;
}

Json ToJson(const Column& column) {
  const laboratory::Measures& measures = column.measures;
  Json json = {{"name", column.name},
               {"policy", column.about},
               {"jobs", measures.jobs},
               {"started", measures.wait.jobs},
               {"wait_seconds", ToJson(measures.wait)},
               {"bounded_slowdown", ToJson(measures.slowdown)},
               {"utilisation", measures.utilisation},
               {"makespan_seconds", Seconds(measures.makespan)},
               {"jain_index", nullptr},
               {"jain_samples", column.fairness.samples}};
  if (column.fairness.samples > 0) json["jain_index"] = column.fairness.jain_index;
  if (!column.about.empty()) {
    json["backfilled"] = column.backfilled;
    json["never_started"] = column.never_started;
    json["rankings"] = column.rankings;
    json["plans"] = column.plans;
    json["recalculations"] = column.recalculations;
  }
  if (column.from_recorded.has_value()) json["from_recorded"] = ToJson(*column.from_recorded);
  if (column.forecasts.has_value()) json["forecasts"] = ToJson(*column.forecasts);
  if (!column.grants.empty()) json["grants"] = ToJson(column.grants);
  json["accounts"] = ToJson(measures.accounts);
  json["users"] = ToJson(measures.users);
  json["sizes"] = ToJson(measures.sizes);
  json["cpus_in_use"] = column.load.cpus;
  json["jobs_waiting"] = column.load.waiting;
  return json;
}

}  // namespace

std::string JsonText(const Report& report) {
  Json json = {{"history", report.history},
               {"jobs", report.jobs},
               {"nodes", report.nodes},
               {"cpus", report.cpus},
               {"begin", TimeText(report.period.begin)},
               {"end", TimeText(report.period.end)},
               {"half_life_seconds", Seconds(report.half_life)},
               {"has_waits", report.has_waits},
               {"load_factor", report.load_factor},
               {"left_out", report.left_out},
               {"notes", report.notes},
               {"columns", Json::array()}};
  for (const Column& column : report.columns) json["columns"].push_back(ToJson(column));
  // Names of users may be any bytes.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace priorityd::replay
