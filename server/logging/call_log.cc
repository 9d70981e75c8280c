#include "server/logging/call_log.h"

#include <spdlog/spdlog.h>

#include <string>

#include "absl/strings/match.h"
#include "server/logging/log_fields.h"

namespace priorityd::logging {
namespace {

using authorization::Rpc;

constexpr size_t kMaxErrorBytes = 512;

constexpr spdlog::level::level_enum kLevelOfOutcome[] = {spdlog::level::info, spdlog::level::warn,
                                                         spdlog::level::err};

// Calls that last as long as the caller wants.
bool IsStream(Rpc rpc) {
  return rpc == Rpc::kStreamUsage || rpc == Rpc::kWatchRanking || rpc == Rpc::kRebuildUsage;
}

bool IsHot(Rpc rpc) {
  return absl::StartsWith(authorization::RightOf(rpc).method, "priority.v1.PriorityService/");
}

LogFields FieldsOf(const rpc::CallReport& report) {
  LogFields fields = {{"method", std::string(authorization::NameOf(report.rpc))},
                      {"code", absl::StatusCodeToString(report.status.code())},
                      {"principal", report.principal},
                      {"cluster", report.cluster},
                      {"rows", report.rows},
                      {"ms", report.duration}};
  if (!report.trace_id.empty()) fields.emplace_back("trace_id", report.trace_id);
  if (!report.status.ok()) {
    fields.emplace_back("error", std::string(report.status.message().substr(0, kMaxErrorBytes)));
  }
  return fields;
}

}  // namespace

CallLog::Outcome CallLog::OutcomeOf(const absl::Status& status, bool is_slow) {
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDataLoss:
      return kFailed;
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnimplemented:
      return kRefused;
    default:
      return is_slow ? kRefused : kFine;
  }
}

bool CallLog::IsSlow(const rpc::CallReport& report) const {
  return report.duration >= slow_ && !IsStream(report.rpc);
}

std::optional<int64_t> CallLog::Admit(Rpc rpc, Outcome outcome) {
  const int most = IsHot(rpc) && outcome == kFine ? kHotLines : kLines;
  const absl::Time now = clock_();
  absl::MutexLock lock(&mutex_);
  Budget& budget = budgets_[static_cast<size_t>(rpc)][outcome];
  if (now >= budget.second + absl::Seconds(1)) {
    budget.second = now;
    budget.lines = 0;
  }
  if (budget.lines >= most) {
    ++budget.left_out;
    return std::nullopt;
  }
  ++budget.lines;
  return std::exchange(budget.left_out, 0);
}

void CallLog::CallEnded(const rpc::CallReport& report) {
  const bool is_slow = IsSlow(report);
  const Outcome outcome = OutcomeOf(report.status, is_slow);
  if (!spdlog::should_log(kLevelOfOutcome[outcome])) return;
  const bool all = spdlog::should_log(spdlog::level::debug);
  const std::optional<int64_t> left_out = all ? 0 : Admit(report.rpc, outcome);
  if (!left_out.has_value()) return;
  LogFields fields = FieldsOf(report);
  if (is_slow) fields.emplace_back("slow", true);
  if (*left_out > 0) fields.emplace_back("left_out", *left_out);
  Log(kLevelOfOutcome[outcome], "call", fields);
}

}  // namespace priorityd::logging
