// Random changes of fields on two replicas, compared with a map of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/queue/replication/tracked_queues.h"
#include "server/queue/state/packed_job.h"
#include "tests/engine/priority/draw.h"
#include "tests/server/queue/replication/stored_queue.h"

namespace priorityd::queue {
namespace {

// A job as a person would note it down.
struct Note {
  std::string source;
  std::string account;
  std::string partition;
  std::string name;
  int nice = 0;
  std::optional<uint32_t> admin_priority;
  std::optional<int> time_limit_minutes;
  bool held = false;
  bool operator==(const Note&) const = default;
};
using Notes = std::map<std::string, Note>;

constexpr const char* kFields[] = {"account",        "partitions", "name", "nice",
                                   "admin_priority", "time_limit", "hold"};

class TrackedQueuesPropertyTest : public testing::Test {
 protected:
  Note AnyNote() {
    Note note;
    note.account = draw_.Of<std::string>({"physics", "", "nowhere"});
    note.partition = draw_.Of<std::string>({"main", "fast"});
    note.name = draw_.Of<std::string>({"", "steam", "wind"});
    note.nice = draw_.Below(50);
    if (draw_.OneIn(3)) note.admin_priority = draw_.Below(9);
    if (draw_.OneIn(2)) note.time_limit_minutes = draw_.Below(90);
    note.held = draw_.OneIn(3);
    return note;
  }

  static TrackedJob JobOf(const std::string& id, const Note& note) {
    TrackedJob job;
    job.job = priority::JobOf(id);
    job.job.account = note.account;
    job.job.partitions = {note.partition};
    job.job.nice = note.nice;
    job.job.admin_priority = note.admin_priority;
    if (note.time_limit_minutes.has_value()) {
      job.job.time_limit = absl::Minutes(*note.time_limit_minutes);
    }
    job.job.hold = note.held ? priority::Hold::kUser : priority::Hold::kNone;
    job.name = note.name;
    job.source = note.source;
    return job;
  }

  // The naive way: field by field.
  static void Take(const std::string& field, const Note& told, Note* note) {
    if (field == "account") note->account = told.account;
    if (field == "partitions") note->partition = told.partition;
    if (field == "name") note->name = told.name;
    if (field == "nice") note->nice = told.nice;
    if (field == "admin_priority") note->admin_priority = told.admin_priority;
    if (field == "time_limit") note->time_limit_minutes = told.time_limit_minutes;
    if (field == "hold") note->held = told.held;
  }

  static Notes NotesOf(const QueueState& state) {
    Notes notes;
    for (const auto& chunk : state.chunks()) {
      for (size_t i = 0; i < chunk->size(); ++i) {
        const TrackedJob job = chunk->job(i);
        Note& note = notes[std::string(job.job.job_id)];
        note.source = std::string(job.source);
        note.account = std::string(job.job.account);
        note.partition = std::string(job.job.partitions.front());
        note.name = std::string(job.name);
        note.nice = job.job.nice;
        note.admin_priority = job.job.admin_priority;
        if (job.job.time_limit.has_value()) {
          note.time_limit_minutes = static_cast<int>(*job.job.time_limit / absl::Minutes(1));
        }
        note.held = job.job.hold == priority::Hold::kUser;
      }
    }
    return notes;
  }

  static std::map<std::string, std::string> PackedOf(const QueueState& state) {
    std::map<std::string, std::string> packed;
    for (const auto& chunk : state.chunks()) {
      for (size_t i = 0; i < chunk->size(); ++i) {
        packed[std::string(chunk->job(i).job.job_id)] = std::string(chunk->jobs()->packed(i));
      }
    }
    return packed;
  }

  QueueAnswer Update(const QueueRequest& request) {
    now_ += absl::Minutes(draw_.Below(30));
    StoredQueue& replica = draw_.OneIn(2) ? here_ : there_;
    auto answer = replica.queues().Update("small", request, now_);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *std::move(answer) : QueueAnswer();
  }

  void UpsertWhole(const std::string& id) {
    Note note = AnyNote();
    note.source = draw_.Of<std::string>({"east", "west"});
    const TrackedJob job = JobOf(id, note);
    const QueueAnswer answer = Update({.source = note.source, .upserts = absl::MakeSpan(&job, 1)});
    ASSERT_EQ(answer.upserts.size(), 1u);
    const bool of_another = notes_.contains(id) && notes_[id].source != note.source;
    EXPECT_EQ(answer.upserts[0].reason == "OtherSource", of_another) << id;
    if (!of_another) notes_[id] = note;
  }

  void ChangeFields(const std::string& id) {
    const Note told = AnyNote();
    const TrackedJob job = JobOf(id, told);
    JobFields fields;
    const bool there = notes_.contains(id);
    for (const char* field : kFields) {
      if (!draw_.OneIn(3)) continue;
      ASSERT_TRUE(fields.Add(field).ok());
      if (there) Take(field, told, &notes_[id]);
    }
    if (fields.empty()) return;
    const QueueAnswer answer =
        Update({.source = "scontrol", .upserts = absl::MakeSpan(&job, 1), .fields = fields});
    ASSERT_EQ(answer.upserts.size(), 1u);
    EXPECT_EQ(answer.upserts[0].outcome == UpdateOutcome::kNotFound, !there) << id;
  }

  void Remove(const std::string& id) {
    const absl::string_view removals[] = {id};
    Update({.removals = removals});
    notes_.erase(id);
  }

  StoredQueue here_;
  StoredQueue there_{here_.database_url()};
  priority::Draw draw_{20261122};
  absl::Time now_ = priority::kNow;
  Notes notes_;
};

TEST_F(TrackedQueuesPropertyTest, EveryReplicaHasWhatAMapOfJobsHas) {
  for (int step = 0; step < 400; ++step) {
    const std::string id = std::to_string(draw_.Below(12));
    switch (draw_.Below(6)) {
      case 0:
      case 1:
        UpsertWhole(id);
        break;
      case 2:
        Remove(id);
        break;
      default:
        ChangeFields(id);
    }
    if (step % 20 != 0) continue;
    const auto here = here_.queues().ReadState("small");
    const auto there = there_.queues().ReadState("small");
    ASSERT_TRUE(here.ok() && there.ok());
    ASSERT_EQ(NotesOf(**here), notes_) << step;
    ASSERT_EQ(PackedOf(**here), PackedOf(**there)) << step;
    StoredQueue fresh(here_.database_url());
    ASSERT_EQ(PackedOf(**fresh.queues().ReadState("small")), PackedOf(**here)) << step;
  }
}

TEST_F(TrackedQueuesPropertyTest, ReplicasThatChangeTheSameJobsAtOnceAgreeAndLoseNothing) {
  constexpr int kSteps = 150;
  const auto change = [](StoredQueue* replica, std::string own, uint32_t seed) {
    priority::Draw draw(seed);
    for (int step = 0; step < kSteps; ++step) {
      const std::string shared = std::to_string(draw.Below(3));
      if (draw.OneIn(3)) {
        replica->Remove(shared);
      } else {
        replica->Upsert({shared}, draw.Of<std::string>({"ann", "cat"}));
      }
      replica->Upsert({own + std::to_string(step)});
    }
  };
  std::thread here(change, &here_, "here-", 1), there(change, &there_, "there-", 2);
  here.join();
  there.join();
  const auto read = PackedOf(**here_.queues().ReadState("small"));
  EXPECT_EQ(PackedOf(**there_.queues().ReadState("small")), read);
  StoredQueue fresh(here_.database_url());
  EXPECT_EQ(PackedOf(**fresh.queues().ReadState("small")), read);
  for (int step = 0; step < kSteps; ++step) {
    EXPECT_TRUE(read.contains("here-" + std::to_string(step))) << step;
    EXPECT_TRUE(read.contains("there-" + std::to_string(step))) << step;
  }
}

}  // namespace
}  // namespace priorityd::queue
