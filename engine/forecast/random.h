// Random numbers that are the same on each machine.
#ifndef PRIORITYD_ENGINE_FORECAST_RANDOM_H_
#define PRIORITYD_ENGINE_FORECAST_RANDOM_H_

#include <cstdint>

namespace priorityd::forecast {

// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to `count` - 1, above 0; all within 2^-32 x count equally likely.
  uint32_t Below(uint32_t count) { return static_cast<uint32_t>(((Next() >> 32) * count) >> 32); }

 private:
  uint64_t state_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_RANDOM_H_
