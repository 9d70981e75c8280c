// How often values fell between bounds.
#ifndef PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_
#define PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace priorityd::measures {

// Upper bounds for what takes from half a millisecond to a minute, in seconds.
std::vector<double> SecondsBounds();

// Thread-safe: adding takes no lock, so it is for hot paths.
class Distribution {
 public:
  // `bounds`: ascending, finite; a value belongs to the first that it does not exceed.
  explicit Distribution(std::vector<double> bounds);

  void Add(double value);

  struct Reading {
    std::vector<double> bounds;
    std::vector<uint64_t> counts;  // One more than bounds: the last exceed all of them.
    double sum = 0;

    uint64_t count() const;
  };
  // While others add, the sum may be of some values more or fewer than the counts.
  Reading Read() const;

 private:
  const std::vector<double> bounds_;
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
  std::atomic<double> sum_ = 0;
};

}  // namespace priorityd::measures

#endif  // PRIORITYD_SERVER_MEASURES_DISTRIBUTION_H_
