#include "server/identity/certificate_names.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <memory>

#include "absl/status/status.h"

namespace priorityd::identity {
namespace {

std::string TextOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

std::string AddressOf(const ASN1_OCTET_STRING* address) {
  char text[INET6_ADDRSTRLEN] = "";
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof(text));
  return text;
}

std::string NameOf(const GENERAL_NAME& name) {
  switch (name.type) {
    case GEN_DNS:
    case GEN_URI:
    case GEN_EMAIL:
      return TextOf(name.d.ia5);
    case GEN_IPADD:
      return AddressOf(name.d.iPAddress);
    default:
      return "";
  }
}

void Add(const std::string& name, std::vector<std::string>* names) {
  if (!name.empty() && name.find('\0') == std::string::npos) names->push_back(name);
}

}  // namespace

std::vector<std::string> NamesOf(const X509& certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> alternatives(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
    Add(NameOf(*sk_GENERAL_NAME_value(alternatives.get(), i)), &names);
  }
  X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) Add(TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))), &names);
  return names;
}

absl::StatusOr<std::vector<std::string>> NamesOfDer(absl::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const unsigned char* const end = at + der.size();
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      d2i_X509(nullptr, &at, static_cast<long>(der.size())), X509_free);
  if (certificate == nullptr || at != end) {
    return absl::InvalidArgumentError("want the DER of one certificate");
  }
  return NamesOf(*certificate);
}

}  // namespace priorityd::identity
