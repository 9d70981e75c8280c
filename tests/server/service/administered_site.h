// A small site whose tree is changed by AdminService's verbs.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTERED_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTERED_SITE_H_

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "priority/v1/administration.pb.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {

using Names = std::vector<std::string>;

// `NAME=VALUE`, `NAME+=VALUE` or `NAME-=VALUE`.
inline v1::Setting ToSetting(const std::string& text) {
  v1::Setting setting;
  const size_t equals = text.find('=');
  const char sign = equals > 0 ? text[equals - 1] : ' ';
  const bool is_change = sign == '+' || sign == '-';
  setting.set_name(text.substr(0, equals - (is_change ? 1 : 0)));
  setting.set_value(text.substr(equals + 1));
  if (is_change) {
    setting.set_operator_(sign == '+' ? v1::SETTING_OPERATOR_ADD : v1::SETTING_OPERATOR_REMOVE);
  }
  return setting;
}

template <typename Request>
void AddSettings(const Names& settings, Request* request) {
  for (const std::string& text : settings) *request->add_settings() = ToSetting(text);
}

// `settings`, and those of `defaults`, such as `Amount=1`, whose names they do not set.
inline Names WithDefaults(Names settings, const Names& defaults) {
  for (const std::string& text : defaults) {
    const std::string begin = text.substr(0, text.find('=') + 1);
    const auto sets = [&](const std::string& setting) { return setting.starts_with(begin); };
    if (std::ranges::none_of(settings, sets)) settings.push_back(text);
  }
  return settings;
}

// Accounts and users, each if there are any.
inline v1::AssociationFilter Where(const Names& accounts, const Names& users) {
  v1::AssociationFilter where;
  for (const std::string& account : accounts) where.add_accounts(account);
  for (const std::string& user : users) where.add_users(user);
  return where;
}

// SmallSite on a manual clock. Calls must succeed unless `status` is given.
class AdministeredSite : public UsageSite {
 protected:
  AdministeredSite() { Start("PriorityDecayHalfLife=2:0:0\n"); }

  v1::ChangeResponse Create(const v1::CreateAssociationsRequest& request,
                            grpc::Status* status = nullptr) {
    return Changed(request, status);
  }
  v1::ChangeResponse AddAccount(const std::string& account, const std::string& parent,
                                const Names& settings = {}, grpc::Status* status = nullptr) {
    v1::CreateAssociationsRequest request;
    v1::NewAssociation* wanted = request.add_associations();
    wanted->set_account(account);
    wanted->set_parent_account(parent);
    AddSettings(settings, &request);
    return Create(request, status);
  }
  v1::ChangeResponse AddUser(const std::string& user, const Names& accounts,
                             const Names& settings = {}, grpc::Status* status = nullptr) {
    v1::CreateAssociationsRequest request;
    for (const std::string& account : accounts) {
      v1::NewAssociation* wanted = request.add_associations();
      wanted->set_account(account);
      wanted->set_user(user);
    }
    AddSettings(settings, &request);
    return Create(request, status);
  }
  v1::ChangeResponse Modify(const v1::AssociationFilter& where, const Names& settings,
                            grpc::Status* status = nullptr, const v1::ChangeOptions& options = {}) {
    v1::UpdateAssociationsRequest request;
    *request.mutable_where() = where;
    *request.mutable_options() = options;
    AddSettings(settings, &request);
    return Changed(request, status);
  }
  v1::ChangeResponse Remove(const v1::AssociationFilter& where, grpc::Status* status = nullptr,
                            const v1::ChangeOptions& options = {}) {
    v1::DeleteAssociationsRequest request;
    *request.mutable_where() = where;
    *request.mutable_options() = options;
    return Changed(request, status);
  }
  v1::ChangeResponse ModifyUser(const std::string& name, const Names& settings,
                                grpc::Status* status = nullptr) {
    v1::UpdateUsersRequest request;
    request.mutable_where()->add_names(name);
    AddSettings(settings, &request);
    return Changed(request, status);
  }

  v1::ListAssociationsResponse List(const v1::ListAssociationsRequest& request = {},
                                    grpc::Status* status = nullptr) {
    return Called<v1::ListAssociationsResponse>(request, status);
  }
  v1::ListUsersResponse Users(const v1::ListUsersRequest& request = {},
                              grpc::Status* status = nullptr) {
    return Called<v1::ListUsersResponse>(request, status);
  }
  v1::ExportResponse ExportAll() {
    return Called<v1::ExportResponse>(v1::ExportRequest(), nullptr);
  }

  // `account/user` of what fits, in its order.
  std::string Listed(const v1::AssociationFilter& where) {
    v1::ListAssociationsRequest request;
    *request.mutable_where() = where;
    std::string text;
    const v1::ListAssociationsResponse list = List(request);
    for (const v1::Association& row : list.associations()) {
      text += row.account() + "/" + row.user() + " ";
    }
    return text;
  }
  v1::Association One(const std::string& account, const std::string& user = "") {
    v1::ListAssociationsRequest request;
    *request.mutable_where() = Where({account}, {user});
    const v1::ListAssociationsResponse list = List(request);
    EXPECT_EQ(list.associations_size(), 1) << account << " " << user;
    return list.associations_size() == 1 ? list.associations(0) : v1::Association();
  }
  std::string Attribute(const std::string& account, const std::string& user,
                        const std::string& word) {
    const v1::Association row = One(account, user);
    const auto own = row.attributes().find(word);
    return own == row.attributes().end() ? "unset" : own->second;
  }
  std::string Inherited(const std::string& account, const std::string& user,
                        const std::string& word) {
    const v1::Association row = One(account, user);
    const auto found = row.inherited().find(word);
    return found == row.inherited().end() ? "unset" : found->second;
  }
  // `default account/level/coordinated accounts`; empty = there is none of that name.
  std::string UserText(const std::string& name) {
    v1::ListUsersRequest request;
    request.mutable_where()->add_names(name);
    const v1::ListUsersResponse users = Users(request);
    if (users.users().empty()) return "";
    const v1::ClusterUser& user = users.users(0);
    std::string text = user.default_account() + "/" + user.admin_level() + "/";
    for (const std::string& account : user.coordinated_accounts()) text += account + " ";
    return text;
  }

  template <typename Response, typename Request>
  Response Called(const Request& request, grpc::Status* status) {
    return AnswerTo<Response>(service_, request, status);
  }
  template <typename Request>
  v1::ChangeResponse Changed(const Request& request, grpc::Status* status) {
    return Called<v1::ChangeResponse>(request, status);
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_ADMINISTERED_SITE_H_
