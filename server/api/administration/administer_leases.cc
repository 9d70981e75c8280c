#include "server/api/administration/administer_leases.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "server/administration/leases/lease_change.h"
#include "server/administration/leases/lease_objects.h"
#include "server/api/administration/convert_administration.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "storage/configuration/lease_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;

constexpr int kUsualLeasePage = 1000;
constexpr int kMostOfLeasePage = 10'000;

// A page starts with the leases below this id.
struct LeasePlace {
  int64_t before = 0;
  int64_t unused = 0;

  bool IsValid() const { return before > 0 && unused == 0; }
};

struct LeasePage {
  std::vector<storage::Lease> leases;
  int64_t next = 0;  // 0 = this is the last page.
  std::string etag;
};

storage::LeaseFilter ToFilter(const v1::ListLeasesRequest& request, absl::Time time) {
  const auto has = [&](v1::LeaseState state, bool by_default) {
    return request.states().empty() ? by_default : absl::c_linear_search(request.states(), state);
  };
  storage::LeaseFilter filter;
  filter.objects.assign(request.objects().begin(), request.objects().end());
  filter.time = time;
  filter.pending = has(v1::LEASE_STATE_PENDING, true);
  filter.active = has(v1::LEASE_STATE_ACTIVE, true);
  filter.ended = has(v1::LEASE_STATE_ENDED, false);
  filter.cancelled = has(v1::LEASE_STATE_CANCELLED, false);
  return filter;
}

v1::LeaseState StateAt(const storage::Lease& lease, absl::Time time) {
  if (storage::IsCancelled(lease)) return v1::LEASE_STATE_CANCELLED;
  if (storage::EndOf(lease) <= time) return v1::LEASE_STATE_ENDED;
  return lease.begin_time <= time ? v1::LEASE_STATE_ACTIVE : v1::LEASE_STATE_PENDING;
}

v1::SettingOperator OperatorToProto(administration::SettingOperator op) {
  if (op == administration::SettingOperator::kAdd) return v1::SETTING_OPERATOR_ADD;
  if (op == administration::SettingOperator::kRemove) return v1::SETTING_OPERATOR_REMOVE;
  return v1::SETTING_OPERATOR_SET;
}

void LeaseToProto(const storage::Lease& lease, const Caller& caller, absl::Time time,
                  v1::Lease* proto) {
  proto->set_id(lease.id);
  proto->set_object(lease.object);
  proto->set_kind(lease.kind);
  for (const administration::Setting& setting : administration::SettingsIn(lease)) {
    v1::Setting* added = proto->add_settings();
    added->set_name(setting.name);
    added->set_operator_(OperatorToProto(setting.op));
    added->set_value(setting.value);
  }
  rpc::ToProto(lease.begin_time, proto->mutable_begin_time());
  rpc::ToProto(storage::EndOf(lease), proto->mutable_end_time());
  proto->set_state(StateAt(lease, time));
  proto->set_created_by(ShownPrincipal(caller, lease.created_by));
  proto->set_comment(lease.comment);
  proto->set_ended_by(ShownPrincipal(caller, lease.ended_by));
}

// At least `wanted` visible leases below an id, or all; hidden ones are as if they did not exist.
absl::Status ReadVisible(storage::Transaction& transaction, const Caller& caller,
                         int32_t cluster_id, const storage::LeaseFilter& filter, int64_t before,
                         int64_t wanted, std::vector<storage::Lease>* visible) {
  storage::LeaseStore store(transaction);
  const administration::TreeRights rights = RightsOf(caller);
  const auto share = LeaseShareOf(caller);
  for (int64_t most = wanted; static_cast<int64_t>(visible->size()) < wanted;) {
    auto leases = store.List(cluster_id, filter, before, most);
    if (!leases.ok()) return leases.status();
    const auto may = administration::MayEnd(transaction, cluster_id, *leases, rights, share);
    if (!may.ok()) return may.status();
    for (size_t i = 0; i < leases->size(); ++i) {
      before = (*leases)[i].id;
      if ((*may)[i]) visible->push_back(std::move((*leases)[i]));
    }
    if (static_cast<int64_t>(leases->size()) < most) break;
    most = std::max<int64_t>(most, kMostOfLeasePage);
  }
  return absl::OkStatus();
}

absl::StatusOr<LeasePage> ReadLeasePage(storage::Transaction& transaction,
                                        const AdministrationCall& call,
                                        const storage::LeaseFilter& filter, int64_t before,
                                        int64_t most) {
  auto found = administration::FindWithEtag(transaction, call.cluster);
  if (!found.ok()) return found.status();
  const int32_t id = found->cluster.id;
  // Others do not learn what exists.
  if (RightsOf(call.caller).is_operator && before == 0) {
    absl::Status exist = administration::CheckObjectsExist(transaction, id, filter.objects);
    if (!exist.ok()) return exist;
  }
  LeasePage page;
  page.etag = std::move(found->etag);
  absl::Status read =
      ReadVisible(transaction, call.caller, id, filter, before, most + 1, &page.leases);
  if (!read.ok()) return read;
  if (static_cast<int64_t>(page.leases.size()) > most) {
    page.leases.resize(most);
    page.next = page.leases.back().id;
  }
  return page;
}

}  // namespace

absl::Status ListLeases(const AdministrationCall& call, const v1::ListLeasesRequest& request,
                        v1::ListLeasesResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status texts =
      administration::CheckObjectTexts({request.objects().begin(), request.objects().end()});
  if (!texts.ok()) return texts;
  const PageTokens<LeasePlace> tokens(call.cluster, request);
  const auto given = tokens.Given();
  if (!given.ok()) return given.status();
  const absl::Time time = ClockOf(call);
  const int64_t before = given->has_value() ? (*given)->before : 0;
  const int size = PageSizeOf(request.page_size(), kUsualLeasePage, kMostOfLeasePage);
  const auto page = call.database.Read([&](storage::Transaction& transaction) {
    return ReadLeasePage(transaction, call, ToFilter(request, time), before, size);
  });
  if (!page.ok()) return page.status();
  for (const storage::Lease& lease : page->leases) {
    LeaseToProto(lease, call.caller, time, response->add_leases());
  }
  if (page->next > 0) response->set_next_page_token(tokens.Next({page->next, 0}));
  response->set_cluster(call.cluster);
  response->set_etag(page->etag);
  return absl::OkStatus();
}

absl::Status EndLeases(const AdministrationCall& call, const v1::EndLeasesRequest& request,
                       v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::ChangeFrame frame = FrameOf(call, request.options());
  const administration::LeaseAuthor author = {.principal = frame.context.principal,
                                              .share = frame.share,
                                              .comment = frame.comment,
                                              .time = frame.time,
                                              .zone = frame.zone};
  const auto result = MakeChange(
      call.database, frame, administration::Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::EndLeases(transaction, cluster.id,
                                         {request.ids().begin(), request.ids().end()},
                                         RightsOf(call.caller), author, list);
      });
  return Answer(call, request.options(), result, response);
}

absl::StatusOr<administration::ValuesByObject> LeasedSettings(
    const AdministrationCall& call, const std::vector<std::string>& objects) {
  using administration::ValuesByObject;
  const absl::Time time = ClockOf(call);
  return call.database.Read(
      [&](storage::Transaction& transaction) -> absl::StatusOr<ValuesByObject> {
        const auto found = administration::FindWithEtag(transaction, call.cluster);
        if (!found.ok()) return found.status();
        return administration::ReadLeasedValues(transaction, found->cluster.id, objects, time);
      });
}

void ToProto(const administration::ValuesByObject& values, const std::string& object,
             google::protobuf::RepeatedPtrField<v1::LeasedSetting>* proto) {
  const auto found = values.find(object);
  if (found == values.end()) return;
  for (const administration::LeasedValue& value : found->second) {
    v1::LeasedSetting* added = proto->Add();
    added->set_name(value.name);
    added->set_value(value.value);
    rpc::ToProto(value.until, added->mutable_until());
    added->set_then(value.then);
    added->set_lease_id(value.lease_id);
  }
}

}  // namespace priorityd::rpc
