// Policies that change all the time.
#ifndef PRIORITYD_TESTS_SOAK_POLICY_LOAD_H_
#define PRIORITYD_TESTS_SOAK_POLICY_LOAD_H_

#include <map>
#include <string>

#include "tests/soak/load.h"

namespace priorityd::soak {

// The only operator. Repeats each change until it is answered.
class Operator : public Load {
 public:
  explicit Operator(const LoadOptions& options);

  void Step() override;
  std::string Summary() const override;

  // The text in force of each cluster whose policy was changed.
  const std::map<int, std::string>& texts() const { return texts_; }

 private:
  std::map<int, std::string> texts_;
  int changes_ = 0;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_POLICY_LOAD_H_
