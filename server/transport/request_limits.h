// The bounds on the size of a request.
#ifndef PRIORITYD_SERVER_TRANSPORT_REQUEST_LIMITS_H_
#define PRIORITYD_SERVER_TRANSPORT_REQUEST_LIMITS_H_

namespace priorityd::rpc {

// Maximum sizes of a call.
struct RequestLimits {
  int max_jobs = 200'000;
  int max_records = 100'000;
  int max_suppositions = 10'000;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_REQUEST_LIMITS_H_
