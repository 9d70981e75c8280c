#ifndef PRIORITYD_TESTS_ENGINE_PLAN_USER_GATE_H_
#define PRIORITYD_TESTS_ENGINE_PLAN_USER_GATE_H_

#include <map>
#include <vector>

#include "engine/plan/plan.h"
#include "gtest/gtest.h"

namespace priorityd::plan {

// At most so many jobs of a user start now, one fewer of them in places after the first.
class UserGate : public StartGate {
 public:
  UserGate(const std::vector<WaitingJob>& waiting, int most) : waiting_(waiting), most_(most) {}

  bool MayStart(size_t job, size_t place) override {
    return started_[waiting_[job].user] + (place > 0) < most_;
  }
  void Start(size_t job, size_t place) override {
    EXPECT_TRUE(MayStart(job, place));
    ++started_[waiting_[job].user];
  }

 private:
  const std::vector<WaitingJob>& waiting_;
  const int most_;
  std::map<int, int> started_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_TESTS_ENGINE_PLAN_USER_GATE_H_
