// RankJobs of 100 tracked jobs on a server that identifies callers, counts their calls and writes a
// log, beside the same on one that does not; calls go to both in turns. Prints one JSON line per
// figure.
//
// usage: secured_bench PRIORITYD [FLAG ...]      (more flags of the server that asks)
#include <string>
#include <vector>

#include "tests/bench/bench_site.h"
#include "tests/bench/secured_site.h"

namespace priorityd::bench {
namespace {

constexpr char kSecuredAddress[] = "127.0.0.1:17498";
constexpr int kWarmUp = 1000;
constexpr int kCalls = 10'000;
constexpr double kTarget = 1.15;

void Run(const char* binary, const std::vector<std::string>& more_flags) {
  const Proofs proofs;
  std::vector<std::string> flags = {"--auth_file=" + proofs.Path("auth.conf")};
  flags.insert(flags.end(), more_flags.begin(), more_flags.end());
  const Priorityd open_server(binary);
  const Priorityd secured_server(binary, kSecuredAddress, flags, proofs.Path("log"));
  Ranked open(Priorityd::address(), "", "");
  Ranked secured(kSecuredAddress, proofs.TokenOf("root"), proofs.TokenOf("u7_13"));
  const InTurns calls = CallInTurns(secured, open, kWarmUp, kCalls);
  Print({"secured_rank_p50_100", Quantile(calls.values, 0.5), Quantile(calls.references, 0.5),
         kTarget, "ms"});
  Print({"secured_rank_p99_100", Quantile(calls.values, 0.99), Quantile(calls.references, 0.99), 0,
         "ms"});
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc < 2) priorityd::bench::Die("usage: secured_bench PRIORITYD [FLAG ...]");
  priorityd::bench::Run(argv[1], {argv + 2, argv + argc});
}
