#include "tests/server/service/scripted_site_factors.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace priorityd::rpc {

ScriptedSiteFactors::ScriptedSiteFactors(int64_t factor,
                                         std::shared_ptr<grpc::ServerCredentials> credentials)
    : credentials_(std::move(credentials)),
      script_([factor](const Request& request, Response* response) {
        for (const auto& job : request.jobs()) AddFactor(job.job_id(), factor, response);
        return grpc::Status::OK;
      }) {
  Start();
}

ScriptedSiteFactors::~ScriptedSiteFactors() { Stop(); }

void ScriptedSiteFactors::SetScript(Script script) {
  absl::MutexLock lock(&mutex_);
  script_ = std::move(script);
}

void ScriptedSiteFactors::Hang() {
  absl::MutexLock lock(&mutex_);
  hangs_ = true;
}

void ScriptedSiteFactors::Release() {
  std::vector<grpc::ServerUnaryReactor*> waiting;
  {
    absl::MutexLock lock(&mutex_);
    hangs_ = false;
    waiting.swap(waiting_);
  }
  for (grpc::ServerUnaryReactor* reactor : waiting) reactor->Finish(grpc::Status::OK);
}

std::vector<ScriptedSiteFactors::Request> ScriptedSiteFactors::requests() {
  absl::MutexLock lock(&mutex_);
  return requests_;
}

bool ScriptedSiteFactors::AwaitRequests(size_t count) {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  absl::MutexLock lock(&mutex_);
  while (requests_.size() < count) {
    if (changed_.WaitWithDeadline(&mutex_, deadline)) return requests_.size() >= count;
  }
  return true;
}

void ScriptedSiteFactors::Stop() {
  Release();
  if (server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(absl::Now()));
  server_->Wait();
  server_.reset();
}

void ScriptedSiteFactors::Start() {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int port = 0;
  builder.AddListeningPort(address_, credentials_, &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  ASSERT_NE(server_, nullptr);
  address_ = absl::StrCat("127.0.0.1:", port);
}

grpc::ServerUnaryReactor* ScriptedSiteFactors::GetSiteFactors(grpc::CallbackServerContext* context,
                                                              const Request* request,
                                                              Response* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  absl::MutexLock lock(&mutex_);
  requests_.push_back(*request);
  changed_.SignalAll();
  if (hangs_) {
    waiting_.push_back(reactor);
  } else {
    reactor->Finish(script_(*request, response));
  }
  return reactor;
}

void AddFactor(const std::string& job_id, int64_t factor, ScriptedSiteFactors::Response* response) {
  ::priority::v1::SiteFactor* added = response->add_site_factors();
  added->set_job_id(job_id);
  added->set_site_factor(factor);
}

}  // namespace priorityd::rpc
