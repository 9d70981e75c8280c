// What is told of each call that has ended, and who is told.
#ifndef PRIORITYD_SERVER_RPC_CALL_REPORT_H_
#define PRIORITYD_SERVER_RPC_CALL_REPORT_H_

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
  // With the code that the caller gets, and the message before anything is hidden from her.
  absl::Status status;
  // From when its first request was read, or from when the service saw it where none was, until it
  // ended.
  absl::Duration duration;
  // `amy`, `tls:collector.example.org`; "-" where nothing was proved.
  std::string principal = "-";
  std::string cluster;  // As the request names it, which may be anything.
  // Of a unary call the most messages that a list of the request or of the answer has; of
  // StreamUsage the records received, of WatchRanking the messages sent.
  int64_t rows = 0;
  std::string trace_id;  // 32 hexadecimal digits; empty = the caller named none.
};

// Told of every call of our services that has ended, refused ones too; not of health checks and
// reflection, nor of calls that gRPC itself refuses (unknown methods, messages that are too large).
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // On the thread that ends the call, before the caller is answered: must neither wait nor call
  // the service. Thread-safe.
  virtual void CallEnded(const CallReport& report) = 0;
};

using CallObservers = std::vector<CallObserver*>;

// A call at work, which is reported at its end. Its methods are called one after another.
class OngoingCall {
 public:
  // `observers` must outlive this; with none it costs nothing.
  OngoingCall(const CallObservers& observers, authorization::Rpc rpc,
              const grpc::CallbackServerContext& context);

  authorization::Rpc rpc() const { return report_.rpc; }
  const std::string& cluster() const { return report_.cluster; }

  // Its request was read, and names this cluster.
  void SetCluster(std::string cluster);

  bool is_observed() const { return !observers_->empty(); }
  void SetPrincipal(const identity::Principal& principal);
  void AddRows(int64_t rows) { report_.rows += rows; }

  // To be called once, just before Finish.
  void Ended(const absl::Status& status);

 private:
  const CallObservers* observers_;
  absl::Time begin_;
  CallReport report_;
};

// The trace id of a W3C `traceparent`; empty where that is not well-formed.
std::string TraceIdOf(absl::string_view traceparent);

// The most messages that a list of `message`, or of a message in it, has.
int64_t RowsOf(const google::protobuf::Message& message);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CALL_REPORT_H_
