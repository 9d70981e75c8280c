// Rankings and shares that are asked for all the time.
#ifndef PRIORITYD_TESTS_SOAK_READ_LOAD_H_
#define PRIORITYD_TESTS_SOAK_READ_LOAD_H_

#include <string>
#include <vector>

#include "tests/soak/load.h"

namespace priorityd::soak {

// A replica that nothing was done to must answer it, whatever happens to the database and to
// other replicas.
class Reader : public Load {
 public:
  explicit Reader(const LoadOptions& options);

  void Step() override;
  std::string Summary() const override;

 private:
  void Rank(size_t number);
  void ListShares(size_t number);
  void Note(const char* what, const Replica& replica, bool must, absl::Time begin,
            const absl::Status& status);

  int64_t answers_ = 0;
  // Of calls to replicas that had to answer.
  std::vector<double> milliseconds_;
};

}  // namespace priorityd::soak

#endif  // PRIORITYD_TESTS_SOAK_READ_LOAD_H_
