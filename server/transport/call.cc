#include "server/transport/call.h"

#include <grpcpp/server_context.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "server/threads/work_scope.h"
#include "server/transport/message_bytes.h"
#include "server/transport/status.h"
#include "server/transport/unchanged.h"
#include "storage/database/read_context.h"
#include "storage/database/status.h"

namespace priorityd::rpc {
namespace {

constexpr size_t kArenaBlock = 1 << 20;

// Used by this thread.
absl::Duration CpuTime() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

absl::Duration TimeLeft(const grpc::CallbackServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return absl::InfiniteDuration();
  return absl::FromChrono(deadline - std::chrono::system_clock::now());
}

google::protobuf::ArenaOptions LargeBlocks() {
  google::protobuf::ArenaOptions options;
  options.max_block_size = kArenaBlock;
  return options;
}

}  // namespace

Call::Messages::Messages(const UnaryMethod& method)
    : arena(LargeBlocks()),
      request(method.request->New(&arena)),
      response(method.response->New(&arena)) {}

void Call::Passed(const Caller& caller) {
  caller_ = caller;
  method_.schedule(this);
}

void Call::Refused(const absl::Status& status) {
  if (IsUnchanged(status)) {
    messages_ = std::make_unique<Messages>(method_);
    return End(absl::OkStatus());
  }
  End(status);
}

absl::Status Call::Parse() {
  if (messages_ != nullptr) return absl::OkStatus();
  messages_ = std::make_unique<Messages>(method_);
  return ParseRequest(messages_->request);
}

absl::Status Call::Run() {
  if (context()->IsCancelled()) return absl::CancelledError("the caller has gone");
  if (absl::Status s = Parse(); !s.ok()) return s;
  const storage::ReadContext needed(TimeLeft(*context()),
                                    [this] { return context()->IsCancelled(); });
  const auto check = [&needed] { return needed.Check(); };
  const threads::WorkScope work(check);
  const bool only_reads = authorization::OnlyReads(authorization::NameOf(method_.request_type.rpc));
  const storage::ReadContext::Scope reads(only_reads ? &needed : nullptr);
  return Work();
}

absl::Status Call::Work() {
  return method_.work(caller_, *messages_->request, messages_->response);
}

absl::Status Call::EncodeAnswer() {
  // The request is freed once the answer is encoded; completed work must not be refused for lack of
  // the room that this frees.
  const size_t bytes = messages_->response->ByteSizeLong();
  if (bytes > scanned().wire_bytes + scanned().parsed_bytes) {
    auto room = boundary().admission().Reserve(bytes, caller_.holder());
    if (!room.ok()) return room.status();
    answer_room_ = *std::move(room);
  }
  return Encode(*messages_->response, &answer_);
}

void Call::End(absl::Status status) {
  if (status.ok()) status = EncodeAnswer();
  if (call().is_observed() && messages_ != nullptr) {
    call().AddRows(std::max(RowsOf(*messages_->request), RowsOf(*messages_->response)));
  }
  messages_ = nullptr;
  LeaveRoom();
  if (answer_room_ == nullptr && answer_.Length() > 0) {
    answer_room_ =
        boundary().admission().Reserve(answer_.Length(), caller_.holder()).value_or(nullptr);
  }
  call().Ended(status);
  AnnounceCell(status, context());
  if (!status.ok()) return Finish(ToGrpcStatus(status));
  StartWriteAndFinish(&answer_, {}, grpc::Status::OK);
}

Schedule On(WorkerPool& pool) {
  return [&pool](Call* call) {
    const quotas::Holder caller = call->caller().holder();
    const absl::Status taken = pool.TrySchedule(caller, caller.name, [call] {
      call->End(call->Run());
      return true;
    });
    if (!taken.ok()) call->End(taken);
  };
}

Schedule EitherOf(int field, Schedule with, Schedule without) {
  return [field, with = std::move(with), without = std::move(without)](Call* call) {
    call->scanned().Has(field) ? with(call) : without(call);
  };
}

Schedule Computing(Pools& pools) {
  return [&pools](Call* call) {
    const quotas::Holder caller = call->caller().holder();
    const auto work = [&pools, call, name = caller.name] {
      const absl::Duration before = CpuTime();
      call->End(call->Run());
      pools.recent_cpu.Add(name, CpuTime() - before);
      return true;
    };
    const absl::Status taken = pools.ComputingFor(caller).TrySchedule(caller, caller.name, work);
    if (!taken.ok()) call->End(taken);
  };
}

Schedule InLane(WorkerPool& pool, absl::Duration patience,
                std::function<std::string(const std::string& cluster)> lane) {
  return [&pool, patience, lane = std::move(lane)](Call* call) {
    const auto work = [call, patience, give_up = absl::InfiniteFuture()]() mutable {
      give_up = std::min(give_up, threads::RunningTime() + patience);
      const absl::Status status = call->Run();
      if (storage::IsLockTimeout(status) && threads::RunningTime() < give_up) return false;
      call->End(status);
      return true;
    };
    const absl::Status taken =
        pool.TrySchedule(call->caller().holder(), lane(call->scanned().cluster), work);
    if (!taken.ok()) call->End(taken);
  };
}

}  // namespace priorityd::rpc
