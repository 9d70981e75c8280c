// Settings of PostgreSQL for the rest of a transaction.
#ifndef STORAGE_DATABASE_LOCAL_SETTING_H_
#define STORAGE_DATABASE_LOCAL_SETTING_H_

namespace priorityd::storage {

// For statements that sort many rows: PostgreSQL's 4 MB would sort a year of records on disk.
inline constexpr char kSortInMemory[] = "SET LOCAL work_mem = '64MB'";

// For rows that are written again soon: a crash of PostgreSQL may lose the last ones.
inline constexpr char kDoNotWaitForDisk[] = "SET LOCAL synchronous_commit = off";

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_LOCAL_SETTING_H_
