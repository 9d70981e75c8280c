#include "server/api/usage/usage_stream.h"

#include <utility>

#include "engine/errors/error_details.h"
#include "server/api/shared/source_rights.h"
#include "server/api/usage/convert_usage.h"
#include "server/transport/status.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

RawReactor* UsageStreams::Open(grpc::CallbackServerContext* context) {
  auto* stream =
      new UsageStream(this, boundary_->Begin(authorization::Rpc::kStreamUsage, *context), context);
  {
    absl::MutexLock lock(&mutex_);
    streams_.insert(stream);
    if (drains_) stream->Drain();
  }
  boundary_->Prove(&stream->call(), context, [=, this](absl::StatusOr<Caller> caller) {
    if (caller.ok()) caller = boundary_->Authorize(stream->call(), context, *std::move(caller));
    stream->Begin(boundary_->admission().Admit(kCallBytes), std::move(caller));
  });
  return stream;
}

absl::StatusOr<std::shared_ptr<UsageStreams::Batch>> UsageStreams::TakeBatch(
    const Caller& caller, grpc::ByteBuffer* bytes) const {
  const auto scanned = Scan(scan_, *bytes);
  if (!scanned.ok()) return scanned.status();
  auto room = RoomFor(*scanned, caller.holder(), boundary_->admission());
  if (!room.ok()) return room.status();
  auto batch = std::make_shared<Batch>();
  batch->room = *std::move(room);
  if (absl::Status s = Parse(bytes, &batch->message); !s.ok()) return s;
  return batch;
}

void UsageStreams::Drain() {
  absl::MutexLock lock(&mutex_);
  drains_ = true;
  for (UsageStream* stream : streams_) stream->Drain();
}

void UsageStreams::CheckProofs() {
  absl::MutexLock lock(&mutex_);
  for (UsageStream* stream : streams_) stream->CheckProof();
}

size_t UsageStreams::size() const {
  absl::MutexLock lock(&mutex_);
  return streams_.size();
}

absl::Status UsageStreams::CheckBatch(const Caller& caller,
                                      const v1::RecordUsageRequest& batch) const {
  absl::Status may =
      boundary_->CheckCluster(authorization::Rpc::kStreamUsage, caller, batch.cluster());
  if (!may.ok() || caller.principal.bound.empty()) return may;
  return CheckSources(boundary_->In(batch.cluster(), caller), batch);
}

void UsageStreams::Forget(UsageStream* stream) {
  absl::MutexLock lock(&mutex_);
  streams_.erase(stream);
}

void UsageStream::Begin(absl::StatusOr<Admission::Place> place, absl::StatusOr<Caller> caller) {
  absl::MutexLock lock(&mutex_);
  begun_ = true;
  if (!place.ok()) return Fail(place.status());
  if (!caller.ok()) return Fail(caller.status());
  place_ = *std::move(place);
  caller_ = *std::move(caller);
  lane_ = caller_.holder().name;
  GoOn();
}

void UsageStream::Drain() {
  absl::MutexLock lock(&mutex_);
  Fail(errors::WithReason(
      absl::UnavailableError("the service stops; send what is not acknowledged again"),
      "STOPPING"));
}

void UsageStream::CheckProof() {
  absl::MutexLock lock(&mutex_);
  if (!begun_ || !status_.ok()) return;
  const auto caller = streams_->boundary_->PassAgain(authorization::Rpc::kStreamUsage, caller_, "");
  if (!caller.ok()) Fail(caller.status());
}

void UsageStream::OnReadDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  is_reading_ = false;
  if (!ok) reads_on_ = false;
  if (ok && reads_on_) {
    auto batch = streams_->TakeBatch(caller_, &read_);
    read_.Clear();
    if (!batch.ok()) return Fail(batch.status());
    const int records = (*batch)->message.batch().records_size();
    ++in_flight_;
    records_in_flight_ += records;
    call_.AddRows(records);
    queues_ = true;
    streams_->pool_->Schedule(lane_, [this, request = *batch] { Take(request); });
  }
  GoOn();
}

void UsageStream::Take(Request request) {
  const auto done = [this, request](absl::StatusOr<usage::RecordResults> results) {
    if (!results.ok()) *failed_ = true;
    streams_->pool_->Schedule(
        lane_, [this, request, results = std::move(results)] { Answer(request, results); });
  };
  if (*failed_) {
    done(absl::UnavailableError("a batch before it failed; send it again after that one"));
  } else if (absl::Status may = streams_->CheckBatch(caller_, request->message.batch());
             !may.ok()) {
    done(may);
  } else {
    streams_->record_(request->message.batch(), caller_, failed_, done);
  }
  absl::MutexLock lock(&mutex_);
  queues_ = false;
  GoOn();
}

void UsageStream::Answer(const Request& request,
                         const absl::StatusOr<usage::RecordResults>& results) {
  Response response{request, {}};
  absl::Status status = results.status();
  if (status.ok()) {
    v1::StreamUsageResponse message;
    message.set_batch_id(request->message.batch_id());
    ToProto(*results, message.mutable_results());
    status = Encode(message, &response.bytes);
  }
  absl::MutexLock lock(&mutex_);
  if (status.ok()) {
    answers_.push_back(std::move(response));
    return GoOn();
  }
  Land(request->message.batch().records_size());
  Fail(std::move(status));
}

void UsageStream::OnWriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writes_ = false;
  Land(answers_.front().request->message.batch().records_size());
  answers_.pop_front();
  if (!ok) {
    Fail(absl::CancelledError("the client is gone"));
    return;
  }
  GoOn();
}

void UsageStream::OnCancel() {
  absl::MutexLock lock(&mutex_);
  Fail(absl::CancelledError("the client is gone"));
}

void UsageStream::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  reads_on_ = false;
  GoOn();
}

void UsageStream::Land(int records) {
  --in_flight_;
  records_in_flight_ -= records;
}

bool UsageStream::HasRoom() const {
  if (in_flight_ < kMinBatchesInFlight) return true;
  return in_flight_ < kMaxBatchesInFlight && records_in_flight_ < kManyRecordsInFlight;
}

void UsageStream::GoOn() {
  if (finished_ || !begun_) return;
  if (!answers_.empty() && !writes_) {
    writes_ = true;
    StartWrite(&answers_.front().bytes);
  }
  if (reads_on_ && !is_reading_ && !queues_ && HasRoom()) {
    is_reading_ = true;
    StartRead(&read_);
  }
  // `queues_` is the last member that Take uses.
  if (reads_on_ || in_flight_ > 0 || queues_) return;
  finished_ = true;
  call_.Ended(status_);
  AnnounceCell(status_, context_);
  Finish(ToGrpcStatus(status_));
}

void UsageStream::OnDone() {
  streams_->Forget(this);
  // The caller of Finish may still hold the lock.
  mutex_.Lock();
  mutex_.Unlock();
  delete this;
}

}  // namespace priorityd::rpc
