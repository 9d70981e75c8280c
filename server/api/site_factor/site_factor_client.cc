#include "server/api/site_factor/site_factor_client.h"

#include <grpcpp/grpcpp.h>

#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "priority/v1/site_factor_service.grpc.pb.h"
#include "server/api/queue/convert_queue.h"
#include "server/files/read_file.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

std::shared_ptr<grpc::Channel> Connect(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  grpc::ChannelArguments arguments;
  // http_proxy is for connections that leave the site.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // No backoff: an earlier failed connection must not delay this one.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

std::string ContentOf(const std::string& path) { return files::ReadFile(path).value_or(""); }

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const SiteFactorTls& tls) {
  if (tls.ca.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ContentOf(tls.ca);
  if (!tls.certificate.empty()) {
    options.pem_cert_chain = ContentOf(tls.certificate);
    options.pem_private_key = ContentOf(tls.key);
  }
  return grpc::SslCredentials(options);
}

// Fails every call with the reason.
class NoService : public site_factor::SiteFactorService {
 public:
  explicit NoService(absl::Status why) : why_(std::move(why)) {}
  void Ask(const site_factor::Question&, std::function<void(site_factor::Answer)> done) override {
    done(why_);
  }
  void Cancel() override {}

 private:
  const absl::Status why_;
};

absl::Status CheckAllowed(const std::string& address, const site_factor::AllowedServices& allowed) {
  const absl::Status status = allowed.Check(address);
  if (status.ok()) return status;
  return absl::FailedPreconditionError(
      absl::StrCat("PrioritySiteFactorPlugin: ", status.message()));
}

v1::GetSiteFactorsRequest RequestOf(const site_factor::Question& question) {
  v1::GetSiteFactorsRequest request;
  request.set_cluster(question.cluster);
  ToProto(question.as_of, request.mutable_as_of());
  request.set_parameters(question.parameters);
  request.set_explains(question.explains);
  v1::TrackedJob job;
  for (const queue::TrackedJob& tracked : question.jobs) {
    job.Clear();
    ToProto(tracked, &job);
    request.add_jobs()->Swap(job.mutable_job());
  }
  return request;
}

site_factor::Answer AnswerOf(const grpc::Status& status, const v1::GetSiteFactorsResponse& response,
                             bool explains) {
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  std::vector<queue::SiteFactor> factors;
  factors.reserve(response.site_factors_size());
  for (const v1::SiteFactor& factor : response.site_factors()) {
    factors.push_back(
        {factor.job_id(), factor.site_factor(), explains ? factor.reason() : std::string()});
  }
  return factors;
}

// One connection, made at the first call. Thread-safe.
class SiteFactorClient : public site_factor::SiteFactorService {
 public:
  // host:port
  SiteFactorClient(const std::string& address,
                   const std::shared_ptr<grpc::ChannelCredentials>& credentials);
  // REQUIRES: no call is running.
  ~SiteFactorClient() override = default;

  void Ask(const site_factor::Question& question,
           std::function<void(site_factor::Answer)> done) override;
  void Cancel() override;

 private:
  struct Call {
    grpc::ClientContext context;
    v1::GetSiteFactorsRequest request;
    v1::GetSiteFactorsResponse response;
    std::function<void(site_factor::Answer)> done;
  };

  // Removes a finished call from the list.
  std::shared_ptr<Call> Remove(const Call* call);

  const std::unique_ptr<v1::SiteFactorService::Stub> stub_;
  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<const Call*, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

SiteFactorClient::SiteFactorClient(const std::string& address,
                                   const std::shared_ptr<grpc::ChannelCredentials>& credentials)
    : stub_(v1::SiteFactorService::NewStub(Connect(address, credentials))) {}

void SiteFactorClient::Ask(const site_factor::Question& question,
                           std::function<void(site_factor::Answer)> done) {
  auto call = std::make_shared<Call>();
  call->request = RequestOf(question);
  call->done = std::move(done);
  call->context.set_deadline(absl::ToChronoTime(absl::Now() + question.timeout));
  {
    absl::MutexLock lock(&mutex_);
    calls_.emplace(call.get(), call);
    if (cancelled_) call->context.TryCancel();
  }
  stub_->async()->GetSiteFactors(
      &call->context, &call->request, &call->response,
      [this, call = call.get()](const grpc::Status& status) {
        const std::shared_ptr<Call> ended = Remove(call);
        ended->done(AnswerOf(status, ended->response, ended->request.explains()));
      });
}

void SiteFactorClient::Cancel() {
  absl::MutexLock lock(&mutex_);
  cancelled_ = true;
  for (const auto& [key, call] : calls_) call->context.TryCancel();
}

std::shared_ptr<SiteFactorClient::Call> SiteFactorClient::Remove(const Call* call) {
  absl::MutexLock lock(&mutex_);
  const auto found = calls_.find(call);
  std::shared_ptr<Call> ended = std::move(found->second);
  calls_.erase(found);
  return ended;
}

}  // namespace

std::unique_ptr<site_factor::SiteFactorService> ConnectSiteFactorService(
    const std::string& address, const SiteFactorTls& tls,
    const site_factor::AllowedServices& allowed) {
  absl::Status usable = CheckAllowed(address, allowed);
  if (usable.ok()) usable = CheckSiteFactorTls(tls);
  if (!usable.ok()) return std::make_unique<NoService>(std::move(usable));
  return std::make_unique<SiteFactorClient>(address, CredentialsOf(tls));
}

}  // namespace priorityd::rpc
