// The calls of PriorityClient about associations, users, QOS and partitions.
#include <utility>

#include "client/list_pages.h"
#include "client/priority_client.h"
#include "client/stubs.h"

namespace priorityd::client {

absl::StatusOr<v1::ListAssociationsResponse> PriorityClient::ListAllAssociations(
    v1::ListAssociationsRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllConfigurationPages(std::move(request), [this](const auto& page) {
    return stubs_->Ask(&Admin::ListAssociations, page);
  });
}

absl::StatusOr<v1::ListUsersResponse> PriorityClient::ListAllUsers(
    v1::ListUsersRequest request) const {
  if (request.page_size() == 0) request.set_page_size(kPageSize);
  return AllConfigurationPages(std::move(request), [this](const auto& page) {
    return stubs_->Ask(&Admin::ListUsers, page);
  });
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::CreateAssociations(
    v1::CreateAssociationsRequest request) const {
  return stubs_->Do(&Admin::CreateAssociations, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateAssociations(
    v1::UpdateAssociationsRequest request) const {
  return stubs_->Do(&Admin::UpdateAssociations, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeleteAssociations(
    v1::DeleteAssociationsRequest request) const {
  return stubs_->Do(&Admin::DeleteAssociations, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateUsers(
    v1::UpdateUsersRequest request) const {
  return stubs_->Do(&Admin::UpdateUsers, std::move(request));
}

absl::StatusOr<v1::ListQosResponse> PriorityClient::ListQos(v1::ListQosRequest request) const {
  return stubs_->Ask(&Admin::ListQos, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::CreateQos(v1::CreateQosRequest request) const {
  return stubs_->Do(&Admin::CreateQos, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateQos(v1::UpdateQosRequest request) const {
  return stubs_->Do(&Admin::UpdateQos, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeleteQos(v1::DeleteQosRequest request) const {
  return stubs_->Do(&Admin::DeleteQos, std::move(request));
}

absl::StatusOr<v1::ListPartitionsResponse> PriorityClient::ListPartitions(
    v1::ListPartitionsRequest request) const {
  return stubs_->Ask(&Admin::ListPartitions, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdatePartitions(
    v1::UpdatePartitionsRequest request) const {
  return stubs_->Do(&Admin::UpdatePartitions, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeletePartitions(
    v1::DeletePartitionsRequest request) const {
  return stubs_->Do(&Admin::DeletePartitions, std::move(request));
}

absl::StatusOr<v1::ListReservationsResponse> PriorityClient::ListReservations(
    v1::ListReservationsRequest request) const {
  return stubs_->Ask(&Admin::ListReservations, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::UpdateReservations(
    v1::UpdateReservationsRequest request) const {
  return stubs_->Do(&Admin::UpdateReservations, std::move(request));
}

absl::StatusOr<v1::ChangeResponse> PriorityClient::DeleteReservations(
    v1::DeleteReservationsRequest request) const {
  return stubs_->Do(&Admin::DeleteReservations, std::move(request));
}

}  // namespace priorityd::client
