// What PostgreSQL itself makes of upserts of single rows: pgbench.
#ifndef PRIORITYD_TESTS_BENCH_PGBENCH_REFERENCE_H_
#define PRIORITYD_TESTS_BENCH_PGBENCH_REFERENCE_H_

#include <string>

namespace priorityd::bench {

// One client that upserts one row after another, each in a transaction of its own, in the same
// PostgreSQL with the same durability.
class PgbenchReference {
 public:
  // On the embedded PostgreSQL of a running priorityd.
  explicit PgbenchReference(const std::string& data_dir);
  ~PgbenchReference();
  PgbenchReference(const PgbenchReference&) = delete;
  PgbenchReference& operator=(const PgbenchReference&) = delete;

  // Upserts per second, of a key and a number.
  double Numbers() const { return PerSecond("numbers"); }
  // Of rows with all columns of a tracked job, in a table like its own.
  double Jobs() const { return PerSecond("jobs"); }

 private:
  double PerSecond(const std::string& script) const;

  std::string folder_;
  std::string connection_;
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_PGBENCH_REFERENCE_H_
