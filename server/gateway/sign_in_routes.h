// The paths by which readers of the page sign in with the site's login.
#ifndef PRIORITYD_SERVER_GATEWAY_SIGN_IN_ROUTES_H_
#define PRIORITYD_SERVER_GATEWAY_SIGN_IN_ROUTES_H_

#include "server/gateway/origins.h"
#include "server/http/exchange.h"
#include "server/sign_in/sign_in.h"
#include "server/transport/worker_pool.h"

namespace priorityd::gateway {

// All must outlive the routes.
struct SignInMeans {
  sign_in::SignIn* sign_in = nullptr;  // Null = without such a login.
  const Origins* origins = nullptr;
  rpc::WorkerPool* threads = nullptr;  // For requests that wait for the provider.
};

// GET /signin/options: `{"issuer": URL}`, empty without such a login. GET /signin/begin and
// /signin/done, POST /signin/end: see sign_in::SignIn; each host has a lane of the threads.
void AddSignInRoutes(const SignInMeans& means, http::Routes* routes);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_SIGN_IN_ROUTES_H_
