// Collectors that record usage whatever happens to the service meanwhile.
#ifndef PRIORITYD_TESTS_END_TO_END_COLLECTORS_H_
#define PRIORITYD_TESTS_END_TO_END_COLLECTORS_H_

#include <grpcpp/grpcpp.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd {

// Of every ten records of a collector six are plain ones, of which the fourth is
// corrected by the seventh and that again by the eighth; the last two are counters
// of a running job, twenty for each job.
namespace collected {

// The source and the user of a collector.
std::string SourceOf(int collector);
std::string UserOf(int collector);

// What a collector records as its i-th, counted from 0.
::priority::v1::UsageRecord RecordOf(int collector, int64_t i);
bool IsCounters(int64_t i);
// Whether it counts once `count` records are in the ledger. REQUIRES: no counters.
bool Counts(int64_t i, int64_t count);

}  // namespace collected

// How many records each collector has made.
using CollectedCounts = std::array<int64_t, 8>;

// Eight clients. Each has a stream of its own with four batches in flight and, after
// every error, opens another one and sends all that it ever sent again from the first
// record on, then goes on with new records. They check as they go that nothing is
// rejected, that what was acknowledged before is a duplicate when it comes again, and
// that every error is one that says to retry. Thread-safe.
class Collectors {
 public:
  static constexpr int kCount = std::tuple_size_v<CollectedCounts>;

  // They begin at once. `address`: of the service, host:port, which may be away.
  explicit Collectors(std::string address);
  // Finishes.
  ~Collectors();
  Collectors(const Collectors&) = delete;
  Collectors& operator=(const Collectors&) = delete;

  // Batches acknowledged; those of which no record had been before; streams that
  // ended with an error.
  int64_t answers() const { return answers_; }
  int64_t new_answers() const { return new_answers_; }
  int64_t errors() const { return errors_; }

  // Waits until `done`; false, and a failure of the test, after two minutes.
  static bool Await(const std::function<bool()>& done, const char* what);
  // Waits for so many more batches of new records.
  bool AwaitNew(int64_t batches);

  // Makes no more records and waits until all are acknowledged.
  void Finish();
  // REQUIRES: Finish().
  const CollectedCounts& recorded() const { return recorded_; }

 private:
  struct Collector;
  struct InFlight;

  void Run(int number);
  // Whether all is acknowledged and no more wanted; else the stream broke.
  bool RunStream(Collector& collector);
  bool SendSome(Collector& collector, InFlight& in_flight);
  bool TakeAnswer(Collector& collector, InFlight& in_flight);
  void CheckError(const grpc::Status& status);

  const std::string address_;
  std::atomic<int64_t> answers_{0};
  std::atomic<int64_t> new_answers_{0};
  std::atomic<int64_t> errors_{0};
  std::atomic<bool> finishes_{false};
  CollectedCounts recorded_{};
  std::vector<std::thread> threads_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_COLLECTORS_H_
