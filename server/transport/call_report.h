// The report of each finished call, and its observers.
#ifndef PRIORITYD_SERVER_TRANSPORT_CALL_REPORT_H_
#define PRIORITYD_SERVER_TRANSPORT_CALL_REPORT_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/authorization/rights_table.h"
#include "server/identity/principal.h"

namespace priorityd::rpc {

struct CallReport {
  authorization::Rpc rpc;
  // The code as sent to the caller, with the full message, which the caller may not get.
  absl::Status status;
  // From reading the first request, or the arrival if none was read, to the end.
  absl::Duration duration;
  // `amy`, `tls:collector.example.org`; "-" if not authenticated.
  std::string principal = "-";
  std::string cluster;  // As in the request, not validated.
  // For a unary call the length of the longest list in the request or answer; for StreamUsage the
  // records received, for WatchRanking the messages sent.
  int64_t rows = 0;
  std::string trace_id;  // 32 hexadecimal digits; empty = the caller sent none.
};

// Notified of every finished call of our services, including refused ones; not of health checks and
// reflection, nor of calls that gRPC itself refuses (unknown methods, too large messages).
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // Called on the thread that ends the call, before the answer: must neither wait nor call the
  // service. Thread-safe.
  virtual void CallEnded(const CallReport& report) = 0;
};

using CallObservers = std::vector<CallObserver*>;

// A running call, reported at its end. Thread-compatible.
class OngoingCall {
 public:
  // `observers` must outlive this; without observers it costs nothing.
  OngoingCall(const CallObservers& observers, authorization::Rpc rpc,
              const grpc::CallbackServerContext& context);

  authorization::Rpc rpc() const { return report_.rpc; }
  const std::string& cluster() const { return report_.cluster; }

  // The request was read and names this cluster.
  void SetCluster(std::string cluster);

  // The request is on this cluster as such: for the report alone, as its rights are checked apart.
  void NameCluster(const std::string& cluster) { report_.cluster = cluster; }

  bool is_observed() const { return !observers_->empty(); }
  void SetPrincipal(const identity::Principal& principal);
  void AddRows(int64_t rows) { report_.rows += rows; }

  // Call once, just before Finish.
  void Ended(const absl::Status& status);

 private:
  const CallObservers* observers_;
  absl::Time begin_;
  CallReport report_;
};

// The trace id of a W3C `traceparent`; empty if it is malformed.
std::string TraceIdOf(absl::string_view traceparent);

// The length of the longest list in `message` or a message in it.
int64_t RowsOf(const google::protobuf::Message& message);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_CALL_REPORT_H_
