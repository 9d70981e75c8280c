#include "client/stubs.h"

#include <atomic>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/visible_text.h"
#include "grpcpp/channel.h"
#include "grpcpp/create_channel.h"

namespace priorityd::client {
namespace {

// A watch has no deadline and sends nothing, so only pings notice that the server's host vanished.
void SetKeepalive(const ConnectOptions& options, grpc::ChannelArguments* arguments) {
  arguments->SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
                    static_cast<int>(absl::ToInt64Milliseconds(options.keepalive_time)));
  arguments->SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                    static_cast<int>(absl::ToInt64Milliseconds(options.keepalive_timeout)));
  // Otherwise gRPC stops after two pings without data.
  arguments->SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

std::shared_ptr<grpc::Channel> Connect(const ConnectOptions& options, const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetMaxSendMessageSize(options.max_message_bytes);
  // http_proxy is for connections that leave the site; priorityd is inside it.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // gRPC's default of a second between two attempts to connect is too long for
  // interactive use, and longer than our backoff.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  SetKeepalive(options, &arguments);
  auto credentials = options.credentials ? options.credentials : grpc::InsecureChannelCredentials();
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

// `a:1,b:2`; except gRPC's own lists of addresses, such as ipv4:10.0.0.1:1,10.0.0.2:2.
std::vector<std::string> Addresses(const std::string& address) {
  if (absl::StartsWith(address, "ipv4:") || absl::StartsWith(address, "ipv6:")) return {address};
  return absl::StrSplit(address, ',');
}

// The stubs of a service of the API, one for each address.
template <typename Service>
std::unique_ptr<const Servers<typename Service::Stub>> ConnectAll(const ConnectOptions& options) {
  using Stubs = Servers<typename Service::Stub>;
  std::vector<typename Stubs::Server> servers;
  for (const std::string& address : Addresses(options.address)) {
    auto channel = Connect(options, address);
    servers.push_back({channel, Service::NewStub(channel)});
  }
  return std::make_unique<const Stubs>(std::move(servers));
}

// Whether the service would accept the call with a new credential, and has not begun it: gRPC
// itself may send a call twice when a connection breaks.
bool IsStaleCredential(const absl::Status& status) {
  const std::string reason = Reason(status);
  return absl::IsUnauthenticated(status) &&
         (reason == "MUNGE_REPLAYED" || reason == "MUNGE_EXPIRED");
}

void ReportRateLimit(const absl::Status& status) {
  VisibleText visible(std::cerr.rdbuf());
  std::ostream(&visible) << "priorityd: " << WithVisibleControls(Describe(status)) << "; waiting\n";
}

}  // namespace

ConnectOptions ReportingOnce(ConnectOptions options) {
  auto report = options.on_rate_limited ? std::move(options.on_rate_limited) : ReportRateLimit;
  auto reported = std::make_shared<std::atomic<bool>>(false);
  options.on_rate_limited = [report, reported](const absl::Status& status) {
    if (!reported->exchange(true)) report(status);
  };
  return options;
}

PriorityClient::Stubs::Stubs(const ConnectOptions& options)
    : options_(options),
      priority_(ConnectAll<v1::PriorityService>(options)),
      admin_(ConnectAll<v1::AdminService>(options)) {}

absl::Status PriorityClient::Stubs::Prove(grpc::ClientContext* context) const {
  if (options_.authorize == nullptr) return absl::OkStatus();
  const absl::StatusOr<std::string> authorization = options_.authorize();
  if (!authorization.ok()) return authorization.status();
  if (absl::Status s = CheckHeader("authorization", *authorization); !s.ok()) return s;
  if (!authorization->empty()) context->AddMetadata("authorization", *authorization);
  return absl::OkStatus();
}

absl::Status PriorityClient::Stubs::TryOnce(absl::Time deadline, Attempt attempt) const {
  grpc::ClientContext context;
  if (deadline < absl::InfiniteFuture()) context.set_deadline(absl::ToChronoTime(deadline));
  if (absl::Status s = Prove(&context); !s.ok()) return s;
  return attempt(&context);
}

absl::Status PriorityClient::Stubs::Try(const RetryPolicy& retry, Attempt attempt) const {
  const absl::Time deadline = absl::Now() + options_.deadline;
  absl::Status last;
  bool reported = false;
  return CallWithRetry(
      retry, deadline,
      [&] {
        last = TryOnce(deadline, attempt);
        return last = IsStaleCredential(last) ? TryOnce(deadline, attempt) : last;
      },
      [&](absl::Duration wait) {
        if (IsRateLimited(last)) {
          options_.on_rate_limited(last);
        } else if (options_.on_retry && !std::exchange(reported, true)) {
          options_.on_retry(last);
        }
        absl::SleepFor(wait);
      });
}

}  // namespace priorityd::client
