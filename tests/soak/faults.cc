#include "tests/soak/faults.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/storage/dropped_packets.h"

namespace priorityd::soak {

using storage::DroppedPackets;

struct Faults::Kind {
  const char* name;
  void (Faults::*method)(absl::Duration);
};

const std::vector<Faults::Kind>& Faults::Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {"kill", &Faults::KillReplica},
      {"stop", &Faults::StopReplica},
      {"replica does not hear the database", &Faults::DeafenReplicaToDatabase},
      {"database does not hear the replicas", &Faults::DeafenDatabase},
      {"neither hears the other", &Faults::SilenceBoth},
      {"replica does not hear its clients", &Faults::DeafenReplicaToClients},
      {"disk full", &Faults::FillDisk},
      {"clock step", &Faults::StepClock},
      {"database restart", &Faults::RestartDatabase},
      {"database frozen", &Faults::FreezeDatabase},
  };
  return kinds;
}

Faults::Faults(Replicas* replicas, storage::PostgresServer* postgres, SmallDisk* disk,
               uint64_t seed)
    : replicas_(replicas),
      postgres_(postgres),
      disk_(disk),
      random_(seed),
      begin_(absl::Now()),
      counts_(Kinds().size()) {}

void Faults::DoOne(absl::Duration longest) {
  const absl::Time begin = absl::Now();
  if (deck_.empty()) Shuffle();
  const size_t kind = deck_.back();
  deck_.pop_back();
  victim_ = random_() % replicas_->size();
  const double part = std::uniform_real_distribution<double>(.1, 1)(random_);
  stops_leading_ = false;
  (this->*Kinds()[kind].method)(longest * part);
  ++counts_[kind];
  for (const auto& replica : *replicas_) replica->Heal();
  done_.push_back({begin, absl::Now(), stops_leading_});
  Tell(absl::StrFormat("healed after %.1f s", absl::ToDoubleSeconds(absl::Now() - begin)));
}

void Faults::Shuffle() {
  deck_.resize(Kinds().size());
  std::iota(deck_.begin(), deck_.end(), 0);
  std::shuffle(deck_.begin(), deck_.end(), random_);
}

std::string Faults::Summary() const {
  std::string summary = absl::StrCat(done_.size(), " faults");
  for (size_t kind = 0; kind < counts_.size(); ++kind) {
    absl::StrAppend(&summary, kind == 0 ? ": " : ", ", counts_[kind], " ", Kinds()[kind].name);
  }
  return summary;
}

void Faults::Tell(const std::string& what) {
  std::printf("[%7.1f s] %s\n", absl::ToDoubleSeconds(absl::Now() - begin_), what.c_str());
  std::fflush(stdout);
}

bool Faults::Leads(const Replica& replica) const {
  storage::Database database({.url = postgres_->Url("postgres"), .pool_size = 1});
  const auto holder = database.Read([](storage::Transaction& t) {
    return t.QueryOne(storage::OnlyColumn<std::string>,
                      std::string("SELECT holder FROM priorityd.leader_lease"));
  });
  // It says HOST:PID.
  return !holder.ok() || absl::StrContains(*holder, absl::StrCat(":", replica.pid()));
}

void Faults::TouchReplica(const std::string& what) {
  stops_leading_ = Leads(victim());
  victim().Disturb();
  Tell(absl::StrCat("replica ", victim_, stops_leading_ ? ", which leads" : "", ": ", what));
}

void Faults::TouchDatabase(const std::string& what) {
  stops_leading_ = true;
  Tell(absl::StrCat("database: ", what));
}

void Faults::KillReplica(absl::Duration duration) {
  TouchReplica(
      absl::StrFormat("kill -9, started again after %.1f s", absl::ToDoubleSeconds(duration / 2)));
  victim().Kill();
  absl::SleepFor(duration / 2);
  victim().Start();
}

void Faults::StopReplica(absl::Duration duration) {
  TouchReplica("SIGSTOP");
  victim().Stop();
  absl::SleepFor(duration);
  victim().Continue();
}

void Faults::Silence(absl::Duration duration, pid_t deaf_replica, bool deaf_database) {
  std::list<DroppedPackets> silence;
  for (const absl::Time until = absl::Now() + duration; absl::Now() < until;) {
    if (deaf_replica != 0) {
      silence.push_back(DroppedPackets::From(postgres_->port(), deaf_replica));
    }
    if (deaf_database) {
      silence.push_back(
          DroppedPackets::To(postgres_->port(), storage::ProcessesOf(postgres_->pid())));
    }
    absl::SleepFor(absl::Milliseconds(500));
  }
}

void Faults::DeafenReplicaToDatabase(absl::Duration duration) {
  TouchReplica("no packet of the database arrives");
  victim().Heal();  // Its clients do not notice.
  Silence(duration, victim().pid(), false);
}

void Faults::DeafenDatabase(absl::Duration duration) {
  TouchDatabase("no packet of a replica arrives");
  Silence(duration, 0, true);
}

void Faults::SilenceBoth(absl::Duration duration) {
  TouchDatabase(absl::StrCat("no packet arrives, nor at replica ", victim_));
  Silence(duration, victim().pid(), true);
}

void Faults::DeafenReplicaToClients(absl::Duration duration) {
  TouchReplica("no packet of a client arrives");
  stops_leading_ = false;
  const DroppedPackets silence = DroppedPackets::To(victim().port(), {victim().pid()});
  absl::SleepFor(duration);
}

void Faults::FillDisk(absl::Duration duration) {
  if (disk_ == nullptr) return;
  TouchDatabase("its disk is full");
  disk_->Fill();
  absl::SleepFor(duration);
  disk_->Free();
  StartDatabaseIfDead();
}

void Faults::StepClock(absl::Duration duration) {
  static constexpr absl::Duration kSteps[] = {absl::Hours(1), -absl::Hours(1), absl::Hours(9600),
                                              -absl::Hours(9600), absl::Seconds(30)};
  const absl::Duration step = kSteps[random_() % std::size(kSteps)];
  const bool leads = Leads(victim());
  Tell(absl::StrCat("replica ", victim_, leads ? ", which leads" : "", ": clock off by ",
                    absl::FormatDuration(step)));
  stops_leading_ = leads;
  victim().SetClock(step);
  absl::SleepFor(duration);
  victim().SetClock(absl::ZeroDuration());
}

void Faults::RestartDatabase(absl::Duration duration) {
  TouchDatabase("killed, as by a power cut");
  postgres_->Kill();
  absl::SleepFor(duration / 2);
  postgres_->Start();
}

void Faults::FreezeDatabase(absl::Duration duration) {
  TouchDatabase("all its processes stopped");
  postgres_->Freeze();
  absl::SleepFor(duration);
  postgres_->Thaw();
}

void Faults::StartDatabaseIfDead() {
  // It may be about to find out.
  absl::SleepFor(absl::Seconds(1));
  if (!postgres_->HasEnded()) return;
  Tell("database: had ended, is started again");
  postgres_->Start();
}

}  // namespace priorityd::soak
