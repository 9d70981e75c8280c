#include "tests/engine/grants/naive_balances.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/time/civil_time.h"

namespace priorityd::grants {
namespace {

bool IsFirstOfWindow(WindowKind window, absl::CivilDay day) {
  if (window == WindowKind::kRolling) return true;
  if (window == WindowKind::kFixed || day.day() != 1) return false;
  if (window == WindowKind::kMonth || day.month() == 1) return true;
  return window == WindowKind::kQuarter &&
         (day.month() == 4 || day.month() == 7 || day.month() == 10);
}

class NaiveGrant {
 public:
  NaiveGrant(const Grant& grant, const absl::TimeZone& zone, absl::Time now)
      : grant_(grant), windows_(NaiveWindows(grant, zone, now)) {
    if (grant.window == WindowKind::kRolling) KeepLastDays(now);
    used_.resize(windows_.size());
  }

  // The windows begun by `now`.
  std::vector<Balance> At(absl::Time now) const {
    std::vector<Balance> balances;
    for (size_t k = 0; k < windows_.size() && windows_[k].begin <= now; ++k) {
      balances.push_back(Replay(k));
    }
    return balances;
  }

  // The window of a time, -1 if there is none.
  int Find(absl::Time time) const {
    for (size_t k = 0; k < windows_.size(); ++k) {
      if (windows_[k].begin <= time && time < windows_[k].end) return static_cast<int>(k);
    }
    return -1;
  }

  void Use(int k, Amount amount) { used_[k] += amount; }

  // Window k, with all windows before it.
  Balance Replay(size_t k) const {
    std::map<size_t, Amount> lots;  // By the window that they are from.
    Balance b = Start(0);
    for (size_t j = 0; j < k; ++j) {
      const Balance next = Start(j + 1);
      lots[j] = b.granted - b.repaid + b.transferred;
      lots = Kept(Left(lots, b), j + 1, next.granted);
      const Amount debt = std::max(b.used - b.available(), Amount());
      b = next;
      b.repaid = std::min(debt, next.granted.Part(grant_.borrow));
      for (const auto& [from, lot] : lots) b.carried += lot;
    }
    return b;
  }

 private:
  void KeepLastDays(absl::Time now) {
    while (!windows_.empty() && windows_.back().begin > now) windows_.pop_back();
    if (windows_.empty()) return;
    const size_t days = std::min<size_t>(grant_.rolling_days, windows_.size());
    windows_ = {{windows_[windows_.size() - days].begin, windows_.back().end}};
  }

  Amount Granted(size_t k) const {
    Amount amount = grant_.versions[0].amount;
    for (const Version& v : grant_.versions) {
      if (v.effective < windows_[k].end) amount = v.amount;
    }
    return amount;
  }

  Balance Start(size_t k) const {
    Balance b;
    b.begin = windows_[k].begin;
    b.end = windows_[k].end;
    b.granted = Granted(k);
    b.used = used_[k];
    b.beyond = b.granted.Part(grant_.grace);
    if (k + 1 < windows_.size()) b.beyond += Granted(k + 1).Part(grant_.borrow);
    for (const Transfer& t : grant_.transfers) {
      if (t.at >= b.begin && t.at < b.end) b.transferred += t.amount;
    }
    return b;
  }

  // What is left of each lot: a lot below 0 is a debt of the others.
  std::map<size_t, Amount> Left(std::map<size_t, Amount> lots, const Balance& b) const {
    Amount used = b.used;
    if (grant_.carry_half_life.has_value()) {
      used = used.Times(std::exp2(-absl::FDivDuration(b.end - b.begin, *grant_.carry_half_life)));
    }
    Amount until_here = -used;
    for (const auto& [from, lot] : lots) until_here += std::min(lot, Amount());
    for (auto& [from, lot] : lots) {
      until_here += std::max(lot, Amount());
      lot = std::max(Amount(), std::min(std::max(lot, Amount()), until_here));
    }
    return lots;
  }

  // What window k has of the lots: the newest first, up to the cap.
  std::map<size_t, Amount> Kept(const std::map<size_t, Amount>& lots, size_t k,
                                Amount granted) const {
    std::map<size_t, Amount> kept;
    Amount cap =
        grant_.carry_cap.has_value() ? granted.Part(*grant_.carry_cap) : Amount::FromMinutes(1e18);
    for (auto lot = lots.rbegin(); lot != lots.rend(); ++lot) {
      if (k - lot->first > static_cast<size_t>(grant_.carry_windows)) continue;
      kept[lot->first] = std::min(lot->second.Part(grant_.carry_over), cap);
      cap -= kept[lot->first];
    }
    return kept;
  }

  const Grant& grant_;
  std::vector<Window> windows_;
  std::vector<Amount> used_;
};

bool IsUsedBefore(const Grant& a, const Grant& b) {
  if (a.order != b.order) return a.order < b.order;
  if (a.end != b.end) return a.end < b.end;
  return a.name < b.name;
}

}  // namespace

std::vector<Window> NaiveWindows(const Grant& grant, const absl::TimeZone& zone, absl::Time now) {
  if (grant.end <= grant.begin) return {};
  std::vector<absl::Time> starts = {grant.begin};
  const absl::CivilDay first = absl::ToCivilDay(grant.begin, zone);
  const absl::CivilDay last = absl::ToCivilDay(std::max(now, grant.begin), zone) + 800;
  for (absl::CivilDay day = first; day < last; ++day) {
    const absl::Time midnight = absl::FromCivil(day, zone);
    if (!IsFirstOfWindow(grant.window, day) || midnight <= grant.begin || midnight >= grant.end) {
      continue;
    }
    starts.push_back(midnight);
    if (starts[starts.size() - 2] > now) break;
  }
  std::vector<Window> windows;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i > 0 && starts[i - 1] > now) break;
    windows.push_back({starts[i], i + 1 < starts.size() ? starts[i + 1] : grant.end});
  }
  return windows;
}

std::vector<std::vector<Balance>> NaiveBalances(const std::vector<Grant>& stack,
                                                const std::vector<Period>& periods,
                                                const absl::TimeZone& zone, absl::Time now) {
  std::vector<NaiveGrant> grants;
  for (const Grant& grant : stack) grants.emplace_back(grant, zone, now);
  std::vector<size_t> order;
  for (size_t i = 0; i < stack.size(); ++i) {
    const auto place = std::find_if(order.begin(), order.end(), [&](size_t other) {
      return IsUsedBefore(stack[i], stack[other]);
    });
    order.insert(place, i);
  }
  for (const Period& period : periods) {
    if (period.begin > now) continue;
    std::vector<size_t> covering;
    for (const size_t i : order) {
      if (grants[i].Find(period.begin) >= 0) covering.push_back(i);
    }
    Amount rest = period.used;
    const auto use = [&](size_t i, Amount amount) {
      grants[i].Use(grants[i].Find(period.begin), amount);
      rest -= amount;
    };
    for (const size_t i : covering) {
      const Amount left = grants[i].Replay(grants[i].Find(period.begin)).left();
      use(i, std::max(Amount(), std::min(rest, left)));
    }
    for (const size_t i : covering) {
      const Balance b = grants[i].Replay(grants[i].Find(period.begin));
      use(i, std::max(Amount(), std::min(rest, b.left() + b.beyond)));
    }
    if (!covering.empty()) use(covering.back(), rest);
  }
  std::vector<std::vector<Balance>> balances;
  for (const NaiveGrant& grant : grants) balances.push_back(grant.At(now));
  return balances;
}

}  // namespace priorityd::grants
