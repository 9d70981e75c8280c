// What Collectors recorded, as the service and its database have it.
#ifndef PRIORITYD_TESTS_END_TO_END_COLLECTED_LEDGER_H_
#define PRIORITYD_TESTS_END_TO_END_COLLECTED_LEDGER_H_

#include <string>

#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"

namespace priorityd {

// Of the database that lives in data_dir, for DatabaseOptions.
std::string EmbeddedDatabaseUrl(const std::string& data_dir);

// Imports the site of the collectors: an account of which each has a user, without
// decay.
void ImportCollectors(const RealPriorityd& priorityd);

// Fails the test unless
// - the ledger in the database has every record and no other,
// - the intervals of each job's counters join without gap or overlap and come to its
//   last counters,
// - the usage of each user is the sum of what counts,
// - rebuild-usage finds no difference.
// `recorded`: how many records each collector has made.
void ExpectCollectedOnce(const RealPriorityd& priorityd, const std::string& database_url,
                         const CollectedCounts& recorded);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_COLLECTED_LEDGER_H_
