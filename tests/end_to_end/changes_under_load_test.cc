// Certificates, keys of tokens, principals and rate limits are changed while calls run, and no call
// fails: neither on connections that are there nor on new ones.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/await.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/server/identity/certificate_authority.h"

namespace priorityd {
namespace {

using identity::CertificateAuthority;
using identity::CertificateFiles;
using identity::SigningKey;

// Calls again and again, each time as `options` then says, on the connection that it has or on a
// new one.
class Caller {
 public:
  using Options = std::function<client::ConnectOptions()>;

  Caller(std::string name, bool reconnects, Options options)
      : name_(std::move(name)),
        reconnects_(reconnects),
        options_(std::move(options)),
        thread_([this] { Work(); }) {}
  ~Caller() {
    stops_ = true;
    thread_.join();
    EXPECT_EQ(failures_, 0) << name_ << ": " << failure_;
    EXPECT_GT(calls_, 20) << name_;
  }

  // Until a call has ended that began since.
  void AwaitNewCall() const {
    const int before = calls_;
    EXPECT_TRUE(Await([&] { return calls_ >= before + 2; })) << name_;
  }

 private:
  void Work() {
    std::unique_ptr<client::PriorityClient> client;
    for (int i = 0; !stops_; ++i, absl::SleepFor(absl::Milliseconds(10))) {
      if (client == nullptr || reconnects_) {
        client::ConnectOptions options = options_();
        options.retry.max_attempts = 1;
        // Else gRPC would take a connection that is there.
        options.max_message_bytes -= i;
        client = std::make_unique<client::PriorityClient>(std::move(options));
      }
      const absl::Status status = client->ListShares({}).status();
      ++calls_;
      // There is no cluster.
      if (!absl::IsFailedPrecondition(status) && failures_++ == 0) failure_ = status.ToString();
    }
  }

  const std::string name_;
  const bool reconnects_;
  const Options options_;
  std::atomic<bool> stops_{false};
  std::atomic<int> calls_{0};
  int failures_ = 0;
  std::string failure_;
  std::thread thread_;
};

int Count(const std::string& text, const std::string& word) {
  int count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

class ChangesUnderLoadTest : public testing::Test {
 protected:
  ChangesUnderLoadTest() {
    ReplaceFile(folder_.path() + "/both.pem",
                identity::ReadWholeFile(authorities_[0].certificate()) +
                    identity::ReadWholeFile(authorities_[1].certificate()));
    Certify(0);
    Publish({0});
    server_ = std::make_unique<SecuredPriorityd>(
        Settings(0), std::vector<std::string>{"--tls_cert=" + folder_.path() + "/tls/cert.pem",
                                              "--tls_key=" + folder_.path() + "/tls/key.pem"});
  }

  // Puts a certificate of an authority and its key into place at once, as mounted secrets come: the
  // folder is a link.
  void Certify(int authority) {
    const CertificateFiles files =
        authorities_[authority].Issue(absl::StrCat("server", ++certificates_), "IP:127.0.0.1");
    const std::filesystem::path folder = absl::StrCat(folder_.path(), "/", certificates_);
    std::filesystem::create_directory(folder);
    std::filesystem::copy(files.certificate, folder / "cert.pem");
    std::filesystem::copy(files.key, folder / "key.pem");
    std::filesystem::create_directory_symlink(folder, folder_.path() + "/next");
    std::filesystem::rename(folder_.path() + "/next", folder_.path() + "/tls");
  }
  void AwaitCertified(int authority) {
    EXPECT_TRUE(Await([&] {
      client::ConnectOptions options = Options(authorities_[authority].certificate());
      options.max_message_bytes -= ++certificates_;
      options.authorize = [] { return std::string(); };
      const absl::Status status = client::PriorityClient(options).ListShares({}).status();
      return absl::IsUnauthenticated(status);
    })) << "no new certificate is served";
  }

  // The keys that the issuer has.
  void Publish(const std::vector<int>& keys) {
    std::string members;
    for (const int key : keys) {
      absl::StrAppend(&members, members.empty() ? "" : ",", keys_[key].Jwk(absl::StrCat(key)));
    }
    ReplaceFile(folder_.path() + "/k8s.jwks", identity::JwksOf(members));
  }
  std::string Settings(int change) const {
    return absl::StrCat("TokenIssuer=https://k8s Audience=priorityd Name=k8s Jwks=", folder_.path(),
                        "/k8s.jwks\nPrincipal=k8s:frontend Role=frontend\n", "Principal=k8s:other",
                        change, " Role=collector\n",
                        "SlurmctldParameters=rl_enable,rl_bucket_size=", 100'000 + change, "\n");
  }
  // Changes files that the server reads again, and waits until it has.
  void Change(const std::function<void()>& change) {
    const auto reads = [this] { return Count(server_->process().Err(), "were read again"); };
    const int before = reads();
    change();
    EXPECT_TRUE(Await([&] { return reads() > before; })) << server_->process().Err();
  }

  client::ConnectOptions Options(const std::string& ca) const {
    client::ConnectOptions options = server_->As("amy");
    options.credentials = *client::MakeChannelCredentials({.ca = ca});
    return options;
  }
  client::ConnectOptions ByUser() const { return Options(folder_.path() + "/both.pem"); }
  // By a token of the issuer's present key, new for each call.
  client::ConnectOptions ByService() const {
    client::ConnectOptions options = ByUser();
    options.authorize = [this] {
      const int key = signs_;
      const int64_t expires = absl::ToUnixSeconds(absl::Now() + absl::Hours(1));
      return "Bearer " +
             keys_[key].Token(absl::StrCat(R"({"iss":"https://k8s","aud":"priorityd","sub":)",
                                           R"("frontend","exp":)", expires, "}"),
                              "", absl::StrCat(R"(,"kid":")", key, R"(")"));
    };
    return options;
  }

  const TemporaryFolder folder_;
  const CertificateAuthority authorities_[2];
  const SigningKey keys_[2] = {SigningKey::Ec(), SigningKey::Rsa()};
  std::atomic<int> signs_{0};  // The key of new tokens.
  int certificates_ = 0;
  std::unique_ptr<SecuredPriorityd> server_;
};

TEST_F(ChangesUnderLoadTest, NoCallFails) {
  const auto by_user = [this] { return ByUser(); };
  const auto by_service = [this] { return ByService(); };
  const Caller kept("a user on her connection", false, by_user);
  const Caller again("a user on new connections", true, by_user);
  const Caller service("a service on its connection", false, by_service);
  const Caller service_again("a service on new connections", true, by_service);
  for (int round = 1; round <= 3; ++round) {
    const int next = round % 2;
    Change([&] { Publish({0, 1}); });
    signs_ = next;
    // The last ones that the old key has signed.
    for (const Caller* caller : {&service, &service_again}) caller->AwaitNewCall();
    Change([&] { Publish({next}); });
    Change([&] { server_->WriteAuthFile(Settings(round)); });
    Certify(next);
    AwaitCertified(next);
  }
}

}  // namespace
}  // namespace priorityd
