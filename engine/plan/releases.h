// The times at which nodes get more free resources, in order. A request that does not fit fits no
// earlier than at the next release, so a search walks over these instead of over all nodes.
#ifndef PRIORITYD_ENGINE_PLAN_RELEASES_H_
#define PRIORITYD_ENGINE_PLAN_RELEASES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/amounts.h"
#include "engine/plan/step_profile.h"

namespace priorityd::plan {

// Each release has the free amounts and the next time that one of them falls, which answers nearly
// all searches without a look at the node's profile. They are kept in blocks, each with an upper
// bound on the free amounts: a search skips a block if that is too little.
class Releases {
  struct Release;

 public:
  // By time, then by node.
  struct Key {
    absl::Time time;
    int node;

    friend bool operator<(const Key& a, const Key& b) {
      return a.time != b.time ? a.time < b.time : a.node < b.node;
    }
  };

  struct Need {
    absl::Span<const int64_t> amounts;  // On a node.
    absl::Duration duration;
    absl::Time closes;  // The latest end of the need.
  };

  // Walks over the releases at which the need is free, up to the second time that an amount falls.
  // `need` must outlive it.
  class Walk {
   public:
    // Begins at the first such release not before `from`.
    Walk(const Releases& releases, const Need& need, const Key& from);

    bool is_done() const { return block_ == releases_->blocks_.size(); }
    const Key& key() const { return releases_->blocks_[block_].releases[at_].key; }
    void Next() {
      ++at_;
      Settle();
    }

   private:
    // `amounts`: those of the release.
    bool MayFit(const Release& release, const int64_t* amounts) const;
    // Moves to the first release, from the present one on, at which the need may fit.
    void Settle();

    const Releases* releases_;
    const Need* need_;
    size_t block_;
    size_t at_;
  };

  // REQUIRES: there is no such release.
  void Insert(int node, const StepProfile::Rise& rise);
  // REQUIRES: there is a release of the node at that time.
  void Update(int node, const StepProfile::Rise& rise);
  // REQUIRES: there is such a release.
  void Erase(const Key& key);

 private:
  struct Release {
    Key key;
    absl::Time falls;  // The next time that an amount falls.
  };

  struct Block {
    std::vector<Release> releases;  // Ascending; at least one.
    std::vector<int64_t> amounts;   // By release: those free at first, then those after the fall.
    Amounts most;                   // No release has more at first.

    size_t PlaceOf(const Key& key) const;
    // Raises `most` to these amounts.
    void Cover(const Amounts& free);
    void FindMost(size_t resources);
  };

  // The block where the key is, or would be.
  size_t BlockOf(const Key& key) const;
  void Split(size_t block);

  size_t resources_ = 0;
  std::vector<Block> blocks_;
};

// Walks over the releases of several node types in one order.
class MergedWalk {
 public:
  // `releases` by type. See Releases::Walk.
  MergedWalk(absl::Span<const Releases> releases, absl::Span<const int> types,
             const Releases::Need& need, const Releases::Key& from);

  bool is_done() const { return walks_.empty(); }
  const Releases::Key& key() const { return walks_.front().key(); }
  void Next();

 private:
  absl::InlinedVector<Releases::Walk, 2> walks_;  // A heap: the earliest is in front.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_RELEASES_H_
