// Data hidden from a cluster's users: the words of PrivateData that apply to this service.
#ifndef PRIORITYD_SERVER_AUTHORIZATION_PRIVATE_DATA_H_
#define PRIORITYD_SERVER_AUTHORIZATION_PRIVATE_DATA_H_

namespace priorityd::authorization {

struct PrivateData {
  bool accounts = false;
  bool events = false;
  bool jobs = false;
  bool reservations = false;
  bool usage = false;
  bool users = false;

  constexpr bool any() const {
    return accounts || events || jobs || reservations || usage || users;
  }
  constexpr bool operator==(const PrivateData&) const = default;
};

// The union of both.
constexpr PrivateData operator&(const PrivateData& a, const PrivateData& b) {
  return {.accounts = a.accounts && b.accounts,
          .events = a.events && b.events,
          .jobs = a.jobs && b.jobs,
          .reservations = a.reservations && b.reservations,
          .usage = a.usage && b.usage,
          .users = a.users && b.users};
}

}  // namespace priorityd::authorization

#endif  // PRIORITYD_SERVER_AUTHORIZATION_PRIVATE_DATA_H_
