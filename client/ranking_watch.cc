#include "client/ranking_watch.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "client/rpc_error.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {
namespace {

using Rows = google::protobuf::RepeatedPtrField<v1::RankedJob>;
using Ineligible = google::protobuf::RepeatedPtrField<v1::IneligibleJob>;
using Name = std::tuple<absl::string_view, absl::string_view, absl::string_view>;

template <typename Row>
Name NameOf(const Row& row) {
  return {row.job_id(), row.partition(), row.qos()};
}

absl::Status Misfit() {
  return absl::DataLossError("WatchRanking: got a change that does not fit the state before it");
}

// Puts rows in their places. Each must be filled once, except the places of `others`.
class Places {
 public:
  Places(size_t size, size_t others) : others_(others), rows_(size + others) {}

  bool Put(const v1::RankedJob& row) {
    if (row.rank() < 1 || row.rank() > rows_.size() || rows_[row.rank() - 1] != nullptr) {
      return false;
    }
    rows_[row.rank() - 1] = &row;
    return true;
  }
  bool Full() const {
    return static_cast<size_t>(std::count(rows_.begin(), rows_.end(), nullptr)) == others_;
  }
  // Null = hidden.
  const std::vector<const v1::RankedJob*>& rows() const { return rows_; }

 private:
  const size_t others_;
  std::vector<const v1::RankedJob*> rows_;
};

// Fills `after`, which refers to both; false if they are not consistent.
bool ApplyDelta(const Rows& before, const v1::RankingDelta& delta, Places* after) {
  absl::flat_hash_map<Name, const v1::RankedJob*> stay;
  for (const v1::RankedJob& row : before) stay.emplace(NameOf(row), &row);
  bool fits = true;
  for (const v1::RankedRow& row : delta.left()) fits &= stay.erase(NameOf(row)) == 1;
  for (const v1::RankChange& change : delta.changed()) {
    fits &= stay.erase(NameOf(change.row())) == 1 && after->Put(change.row());
  }
  for (const v1::RankedJob& row : delta.entered()) {
    fits &= !stay.contains(NameOf(row)) && after->Put(row);
  }
  for (const auto& [name, row] : stay) fits &= after->Put(*row);
  return fits && after->Full();
}

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Takes the first maximal run of digits, or of other bytes, from `text`.
absl::string_view TakeRun(absl::string_view* text) {
  const bool digits = IsDigit(text->front());
  const auto end =
      std::find_if(text->begin(), text->end(), [&](char c) { return IsDigit(c) != digits; });
  const absl::string_view run = text->substr(0, static_cast<size_t>(end - text->begin()));
  text->remove_prefix(run.size());
  return run;
}

// Compares runs: without leading zeros the longer number is the greater one.
int CompareRuns(absl::string_view a, absl::string_view b) {
  if (!IsDigit(a.front()) || !IsDigit(b.front())) return a.compare(b);
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

// The service's order of job ids.
bool IdLess(absl::string_view a, absl::string_view b) {
  absl::string_view rest_a = a;
  absl::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const int order = CompareRuns(TakeRun(&rest_a), TakeRun(&rest_b));
    if (order != 0) return order < 0;
  }
  return rest_a.empty() == rest_b.empty() ? a < b : rest_a.empty();
}

// Fills `after`; false if the delta does not fit.
bool ApplyDelta(const Ineligible& before, const v1::RankingDelta& delta, Ineligible* after) {
  absl::flat_hash_map<absl::string_view, const v1::IneligibleJob*> jobs;
  for (const v1::IneligibleJob& job : before) jobs.emplace(job.job_id(), &job);
  for (const std::string& id : delta.no_longer_ineligible()) {
    if (jobs.erase(id) == 0) return false;
  }
  for (const v1::IneligibleJob& job : delta.ineligible()) jobs[job.job_id()] = &job;
  std::vector<absl::string_view> ids;
  for (const auto& [id, job] : jobs) ids.push_back(id);
  std::sort(ids.begin(), ids.end(), IdLess);
  for (const absl::string_view id : ids) *after->Add() = *jobs[id];
  return true;
}

}  // namespace

absl::Status WatchedTop::Apply(const v1::WatchRankingResponse& answer) {
  if (answer.has_state()) {
    ranked_ = answer.state().ranked();
    ineligible_ = answer.state().ineligible();
    return absl::OkStatus();
  }
  const v1::RankingDelta& delta = answer.delta();
  const int size = ranked_.size() - delta.left_size() + delta.entered_size();
  Places after(std::max(size, 0), answer.others());
  Ineligible ineligible;
  if (size < 0 || !ApplyDelta(ranked_, delta, &after) ||
      !ApplyDelta(ineligible_, delta, &ineligible)) {
    return Misfit();
  }
  Rows rows;
  rows.Reserve(size);
  for (const v1::RankedJob* row : after.rows()) {
    if (row != nullptr) *rows.Add() = *row;
  }
  ranked_ = std::move(rows);
  ineligible_ = std::move(ineligible);
  return absl::OkStatus();
}

RankingWatch::RankingWatch(const PriorityClient* client, v1::WatchRankingRequest request,
                           RetryPolicy reconnect)
    : client_(client), request_(std::move(request)), reconnect_(reconnect) {
  if (request_.cluster().empty()) request_.set_cluster(client_->options().cluster);
}

absl::Status RankingWatch::Run(const OnAnswer& on_answer, const OnLost& on_lost) {
  RetryPolicy retry = client_->options().retry;
  for (;;) {
    bool broken = false;
    absl::Status lost, misfit;
    const absl::Status status = CallWithRetry(
        retry, absl::InfiniteFuture(),
        [&] {
          answers_ = 0;
          const absl::Status once = WatchOnce(on_answer);
          if (IsRateLimited(once)) client_->options().on_rate_limited(once);
          misfit = absl::IsDataLoss(once) ? once : absl::OkStatus();
          const bool passes = !misfit.ok() || IsTransient(once) || IsProofExpired(once);
          // An error after an answer starts the count of attempts again, unless the service's
          // changes never fit its state.
          broken = passes && answers_ > (misfit.ok() ? 0 : 1);
          if (passes && !IsProofExpired(once)) lost = once;
          if (broken) return absl::OkStatus();
          return misfit.ok() ? once : absl::UnavailableError(once.message());
        },
        [this](absl::Duration wait) { Wait(wait); });
    // Also for a stream that ended because of Stop.
    if (Stopped()) return absl::OkStatus();
    if (!broken) return misfit.ok() ? status : misfit;
    if (on_lost && !lost.ok()) on_lost(lost);
    retry = reconnect_;
    Wait(ReconnectWait(retry, lost));
  }
}

absl::Status RankingWatch::WatchOnce(const OnAnswer& on_answer) {
  grpc::ClientContext context;
  if (!Begin(&context)) return absl::CancelledError("stopped");
  const auto stream = client_->OpenWatchRanking(&context, request_);
  v1::WatchRankingResponse answer;
  bool goes_on = true;
  absl::Status misfit;
  while (goes_on && stream->Read(&answer)) {
    misfit = top_.Apply(answer);
    if (misfit.ok()) ++answers_;
    goes_on = misfit.ok() && on_answer(answer, top_);
  }
  if (!goes_on) context.TryCancel();
  const grpc::Status status = stream->Finish();
  End();
  if (!goes_on) return misfit;
  if (status.ok()) return absl::UnavailableError("WatchRanking: the service ended the watch");
  return FromGrpc(status);
}

bool RankingWatch::Begin(grpc::ClientContext* context) {
  absl::MutexLock lock(&mutex_);
  if (stops_) return false;
  context_ = context;
  return true;
}

void RankingWatch::End() {
  absl::MutexLock lock(&mutex_);
  context_ = nullptr;
}

void RankingWatch::Stop() {
  absl::MutexLock lock(&mutex_);
  stops_ = true;
  changed_.SignalAll();
  if (context_ != nullptr) context_->TryCancel();
}

bool RankingWatch::Stopped() {
  absl::MutexLock lock(&mutex_);
  return stops_;
}

void RankingWatch::Wait(absl::Duration wait) {
  const absl::Time deadline = absl::Now() + wait;
  absl::MutexLock lock(&mutex_);
  while (!stops_) {
    if (changed_.WaitWithDeadline(&mutex_, deadline)) return;
  }
}

}  // namespace priorityd::client
