// RankJobs of 100 tracked jobs through HAProxy as deploy/haproxy has it, without TLS, beside the
// same straight to the server; calls go both ways in turns. Prints one JSON line per figure.
//
// usage: boundary_proxy_bench PRIORITYD HAPROXY
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/secured_site.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::bench {
namespace {

constexpr char kDirectAddress[] = "127.0.0.1:17496";
constexpr int kProxyPort = 17495;
constexpr char kProxyAddress[] = "127.0.0.1:17495";
constexpr int kWarmUp = 1000;
constexpr int kCalls = 10'000;
constexpr char kSecret[] = "0123456789abcdef0123456789abcdef";

void Set(const char* setting, const std::string& value) {
  setenv(absl::StrCat("PRIORITYD_PROXY_", setting).c_str(), value.c_str(), /*overwrite=*/1);
}

// Stopped at the end.
class Haproxy {
 public:
  Haproxy(const char* binary, const std::string& socket) : pid_(fork()) {
    if (pid_ != 0) return;
    const bool is_root = getuid() == 0;
    Set("USER", is_root ? "root" : getenv("USER"));
    Set("GROUP", is_root ? "root" : getenv("USER"));
    Set("SECRET", kSecret);
    Set("SOCKET", socket);
    Set("LISTEN", kProxyAddress);
    // All calls come from one address.
    Set("CALLS_PER_10S", "1000000");
    execl(binary, binary, "-db", "-f", "deploy/haproxy/haproxy.cfg", nullptr);
    _exit(127);
  }
  ~Haproxy() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }

 private:
  const pid_t pid_;
};

void Run(const char* binary, const char* haproxy) {
  const Proofs proofs;
  proofs.Write("proxy.secret", kSecret);
  const std::string socket = proofs.Path("grpc.socket");
  const Priorityd server(binary, kDirectAddress,
                         {"--listen=unix:" + socket, "--auth_file=" + proofs.Path("auth.conf"),
                          "--proxy_secret_file=" + proofs.Path("proxy.secret")},
                         "/dev/null");
  Ranked direct(kDirectAddress, proofs.TokenOf("root"), proofs.TokenOf("u7_13"));
  const Haproxy proxy(haproxy, socket);
  storage::AwaitListening(kProxyPort);
  Ranked through(kProxyAddress, proofs.TokenOf("u7_13"));
  const InTurns calls = CallInTurns(through, direct, kWarmUp, kCalls);
  Print({"boundary_proxy_rank_p50_100", Quantile(calls.values, 0.5),
         Quantile(calls.references, 0.5), 0, "ms"});
  Print({"boundary_proxy_rank_p99_100", Quantile(calls.values, 0.99),
         Quantile(calls.references, 0.99), 0, "ms"});
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc != 3) priorityd::bench::Die("usage: boundary_proxy_bench PRIORITYD HAPROXY");
  priorityd::bench::Run(argv[1], argv[2]);
}
