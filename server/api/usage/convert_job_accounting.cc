#include "server/api/usage/convert_job_accounting.h"

#include "absl/time/time.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  return IsValid(time) ? ToTime(time) : absl::InfiniteFuture();
}

absl::Duration DurationOf(const google::protobuf::Duration& duration) {
  return IsValid(duration) ? ToDuration(duration) : absl::InfiniteDuration();
}

}  // namespace

storage::JobAccounting ToJobAccounting(const v1::JobAccounting& proto) {
  storage::JobAccounting job;
  if (!proto.state().empty()) job.state = proto.state();
  if (proto.has_exit_code()) job.exit_code = proto.exit_code();
  if (proto.has_exit_signal()) job.exit_signal = proto.exit_signal();
  if (proto.has_submit_time()) job.submit_time = TimeOf(proto.submit_time());
  if (proto.has_eligible_time()) job.eligible_time = TimeOf(proto.eligible_time());
  if (proto.has_start_time()) job.start_time = TimeOf(proto.start_time());
  if (proto.has_end_time()) job.end_time = TimeOf(proto.end_time());
  if (proto.has_time_limit()) job.time_limit = DurationOf(proto.time_limit());
  if (proto.has_total_cpu()) {
    job.total_cpu = absl::ToDoubleSeconds(DurationOf(proto.total_cpu()));
  }
  if (proto.has_max_rss()) job.max_rss = proto.max_rss();
  if (proto.has_req_cpus()) job.req_cpus = proto.req_cpus();
  if (proto.has_req_mem()) job.req_mem = proto.req_mem();
  if (!proto.node_list().empty()) job.node_list = proto.node_list();
  return job;
}

void ToProto(const storage::JobAccounting& job, v1::JobAccounting* proto) {
  if (job.state.has_value()) proto->set_state(*job.state);
  if (job.exit_code.has_value()) proto->set_exit_code(*job.exit_code);
  if (job.exit_signal.has_value()) proto->set_exit_signal(*job.exit_signal);
  if (job.submit_time.has_value()) ToProto(*job.submit_time, proto->mutable_submit_time());
  if (job.eligible_time.has_value()) ToProto(*job.eligible_time, proto->mutable_eligible_time());
  if (job.start_time.has_value()) ToProto(*job.start_time, proto->mutable_start_time());
  if (job.end_time.has_value()) ToProto(*job.end_time, proto->mutable_end_time());
  if (job.time_limit.has_value()) ToProto(*job.time_limit, proto->mutable_time_limit());
  if (job.total_cpu.has_value()) {
    ToProto(absl::Seconds(*job.total_cpu), proto->mutable_total_cpu());
  }
  if (job.max_rss.has_value()) proto->set_max_rss(*job.max_rss);
  if (job.req_cpus.has_value()) proto->set_req_cpus(*job.req_cpus);
  if (job.req_mem.has_value()) proto->set_req_mem(*job.req_mem);
  if (job.node_list.has_value()) proto->set_node_list(*job.node_list);
}

}  // namespace priorityd::rpc
