#include "engine/grants/price_book.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"

namespace priorityd::grants {
namespace {

// The length after which the search for the end of a span stops.
constexpr absl::Duration kLongestSpan = absl::Hours(24 * 8);
// The days whose state times are added up once.
constexpr absl::Duration kBlock = absl::Hours(24 * 8);

int64_t BlockAt(absl::Time time) {
  return absl::ToInt64Seconds(absl::Floor(time - absl::UnixEpoch(), kBlock)) /
         absl::ToInt64Seconds(kBlock);
}

absl::Time StepAt(absl::Time time) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), kPriceStep);
}

int Find(const absl::flat_hash_map<std::string, int>& names, absl::string_view name) {
  const auto found = names.find(name);
  return found == names.end() ? 0 : found->second;
}

}  // namespace

PriceBook::PriceBook(std::vector<PriceVersion> versions, std::string currency)
    : versions_(std::move(versions)), currency_(std::move(currency)) {
  for (const PriceVersion& version : versions_) {
    for (const PriceRule& rule : version.rules) {
      for (const std::string& name : rule.partitions)
        partitions_.emplace(name, partitions_.size() + 1);
      for (const std::string& name : rule.qos) qos_.emplace(name, qos_.size() + 1);
      tres_.push_back(rule.tres);
    }
  }
  absl::c_sort(tres_);
  tres_.erase(std::unique(tres_.begin(), tres_.end()), tres_.end());
}

PriceBook::State PriceBook::StateAt(absl::Time time) const {
  const auto after = std::upper_bound(
      versions_.begin(), versions_.end(), time,
      [](absl::Time at, const PriceVersion& version) { return at < version.begin; });
  State state;
  if (after == versions_.begin()) return state;
  const PriceVersion& version = *std::prev(after);
  const absl::CivilSecond local = absl::ToCivilSecond(time, version.zone);
  for (const PriceRule& rule : version.rules) {
    if (rule.HoldsAt(time, local)) state.push_back(&rule);
  }
  return state;
}

absl::Time PriceBook::NextChange(absl::Time time, const State& state) const {
  absl::Time next = time + kPriceStep;
  while (next < time + kLongestSpan && StateAt(next) == state) next += kPriceStep;
  return next;
}

int PriceBook::NumberOf(State state) {
  const auto [found, is_new] = numbers_.emplace(std::move(state), static_cast<int>(states_.size()));
  if (is_new) states_.push_back(&found->first);
  return found->second;
}

PriceBook::Span PriceBook::SpanOf(absl::Time time) {
  const auto after = spans_.upper_bound(time);
  if (after != spans_.begin() && time < std::prev(after)->second.end) {
    return std::prev(after)->second;
  }
  if (versions_.empty() || time < versions_.front().begin) {
    const absl::Time end = versions_.empty() ? absl::InfiniteFuture() : versions_.front().begin;
    return {absl::InfinitePast(), end, NumberOf({})};
  }
  const absl::Time begin = StepAt(time);
  State state = StateAt(begin);
  const absl::Time end = NextChange(begin, state);
  const Span span = {begin, end, NumberOf(std::move(state))};
  spans_[begin] = span;
  return span;
}

const std::vector<TresPrice>& PriceBook::PricesIn(int state, absl::string_view partition,
                                                  absl::string_view qos) {
  const auto [found, is_new] =
      prices_.try_emplace({state, Find(partitions_, partition), Find(qos_, qos)});
  if (!is_new) return found->second;
  std::set<absl::string_view> priced;
  for (const PriceRule* rule : *states_[state]) {
    if (!rule->IsFor(partition, qos) || !priced.insert(rule->tres).second) continue;
    if (rule->per_hour > 0) found->second.push_back({rule->tres, rule->per_hour});
  }
  return found->second;
}

Rate PriceBook::RateIn(int state, const PricedUse& use) {
  Rate rate = 0;
  for (const TresPrice& price : PricesIn(state, use.partition, use.qos)) {
    rate = SumOf(rate, PriceOf(use.count(price.tres), price.per_hour));
  }
  return rate;
}

void PriceBook::Cut(absl::Time start, absl::Time end, const PricedUse& use,
                    absl::FunctionRef<void(Rate rate, absl::Time start, absl::Time end)> take) {
  absl::InlinedVector<std::pair<int, Rate>, 8> rates;  // By state.
  while (!versions_.empty() && start < end) {
    const Span span = SpanOf(start);
    auto rate = absl::c_find_if(rates, [&](const auto& one) { return one.first == span.state; });
    if (rate == rates.end()) {
      rates.emplace_back(span.state, RateIn(span.state, use));
      rate = std::prev(rates.end());
    }
    const absl::Time until = std::min(end, span.end);
    take(rate->second, start, until);
    start = until;
  }
}

void PriceBook::AddTimes(absl::Time start, absl::Time end, StateTimes* times) {
  while (start < end) {
    const Span span = SpanOf(start);
    const absl::Time until = std::min(end, span.end);
    (*times)[span.state] += until - start;
    start = until;
  }
}

const PriceBook::StateTimes& PriceBook::TimesIn(int64_t block) {
  const auto [found, is_new] = blocks_.try_emplace(block);
  const absl::Time begin = absl::UnixEpoch() + kBlock * block;
  if (is_new) AddTimes(begin, begin + kBlock, &found->second);
  return found->second;
}

Amount PriceBook::CostOf(absl::Time start, absl::Time end, const PricedUse& use) {
  if (versions_.empty() || start >= end) return {};
  StateTimes times;
  const int64_t last = BlockAt(end);
  const int64_t first = std::min(BlockAt(start - absl::Nanoseconds(1)) + 1, last);
  if (first < last) {
    AddTimes(start, absl::UnixEpoch() + kBlock * first, &times);
    for (int64_t block = first; block < last; ++block) {
      for (const auto& [state, time] : TimesIn(block)) times[state] += time;
    }
    start = absl::UnixEpoch() + kBlock * last;
  }
  AddTimes(start, end, &times);
  Amount cost;
  for (const auto& [state, time] : times) cost += Amount::OfRate(RateIn(state, use), time);
  return cost;
}

}  // namespace priorityd::grants
