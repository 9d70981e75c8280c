// What PostgreSQL itself makes of the same rows: COPY and a merge, by psql.
#ifndef PRIORITYD_TESTS_BENCH_PSQL_REFERENCE_H_
#define PRIORITYD_TESTS_BENCH_PSQL_REFERENCE_H_

#include <string>

namespace priorityd::bench {

// Writes the ledger rows and sums the usage rows of usage records in tables of
// their own, made like the service's, in the same PostgreSQL with the same
// durability. Per batch, in one transaction: COPY into a temporary table, INSERT
// ... ON CONFLICT DO NOTHING into the ledger, one upsert of the sums.
class PsqlReference {
 public:
  // On the embedded PostgreSQL of a running priorityd.
  explicit PsqlReference(const std::string& data_dir);
  ~PsqlReference();
  PsqlReference(const PsqlReference&) = delete;
  PsqlReference& operator=(const PsqlReference&) = delete;

  // Runs `clients` psql at once, each with `records` records in batches of
  // `batch`; how many seconds that took longer than starting them with nothing to
  // do. The scripts are written before.
  double Seconds(int clients, int records, int batch);

 private:
  std::string Psql(const std::string& arguments) const;
  // Runs the scripts at once; how many seconds it took.
  double Run(int clients) const;
  void WriteScript(int client, int records, int batch);
  std::string ScriptName(int client) const;

  std::string folder_;
  std::string socket_dir_;
  int run_ = 0;  // So that no key comes twice.
};

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_PSQL_REFERENCE_H_
