// The configuration of the newest snapshot.
#ifndef STORAGE_DATABASE_PUBLISHED_H_
#define STORAGE_DATABASE_PUBLISHED_H_

namespace priorityd::storage {

// The edition of the rows of clusters, associations, users, QOS, partitions and half-lives to read.
// Table x of the published edition is published_x, with the same columns.
enum class Edition {
  kCurrent,    // As they are now.
  kPublished,  // As the newest snapshot has them; see ConfigurationStore.
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_PUBLISHED_H_
