// A histogram of values.
#ifndef PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_
#define PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace priorityd::measures {

// Upper bounds in seconds for durations from half a millisecond to a minute.
std::vector<double> SecondsBounds();

// Thread-safe; adding takes no lock, so it suits hot paths.
class Distribution {
 public:
  // `bounds`: ascending and finite. A value belongs to the first bound that it does not exceed.
  explicit Distribution(std::vector<double> bounds);

  void Add(double value);

  struct Reading {
    std::vector<double> bounds;
    std::vector<uint64_t>
        counts;  // One more than bounds: the last counts values above all of them.
    double sum = 0;

    uint64_t count() const;
  };
  // During concurrent adds, the sum may cover slightly more or fewer values than the counts.
  Reading Read() const;

 private:
  const std::vector<double> bounds_;
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
  std::atomic<double> sum_ = 0;
};

}  // namespace priorityd::measures

#endif  // PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_
