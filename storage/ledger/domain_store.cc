#include "storage/ledger/domain_store.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/ledger/packed_doubles.h"

namespace priorityd::storage {
namespace {

// A recalculation of a member that has read them may publish them still.
constexpr int64_t kGenerationsKept = 8;

constexpr char kMembers[] =
    "SELECT m.cluster_id, c.name, m.domain_id, d.name, m.price_tres, m.prices, m.joined_at, "
    "m.counts_from, m.settled_seq, m.settled_at, m.newest_end, m.counted, m.refused, "
    "m.refused_why FROM priorityd.domain_member m "
    "JOIN priorityd.cluster c ON c.id = m.cluster_id "
    "JOIN priorityd.cluster d ON d.id = m.domain_id ";
// Of a domain whose last member left. Like kDeleteShares it neither deletes nor awaits shares that
// a cluster has published or, with a lock on them, publishes now.
constexpr char kDeleteOldShares[] =
    "DELETE FROM priorityd.domain_share WHERE (cluster_id, generation) IN "
    "(SELECT s.cluster_id, s.generation FROM priorityd.domain_share s WHERE s.cluster_id = $1 "
    "AND NOT EXISTS (SELECT FROM priorityd.domain_member WHERE domain_id = $1) "
    "AND NOT EXISTS (SELECT FROM priorityd.published_domain p "
    "WHERE p.domain_id = s.cluster_id AND p.generation = s.generation) "
    "FOR UPDATE OF s SKIP LOCKED)";
constexpr char kPut[] =
    "INSERT INTO priorityd.domain_member (cluster_id, domain_id, price_tres, prices, counts_from) "
    "VALUES ($1::integer, $2::integer, $3::text[], $4::double precision[], $5::timestamptz) "
    "ON CONFLICT (cluster_id) DO UPDATE SET domain_id = excluded.domain_id, "
    "price_tres = excluded.price_tres, prices = excluded.prices, joined_at = now(), "
    "counts_from = excluded.counts_from, settled_seq = 0, settled_at = '-infinity', "
    "newest_end = '-infinity', counted = 0, refused = 0, refused_why = ''";
constexpr char kSetSettled[] =
    "UPDATE priorityd.domain_member m SET settled_seq = given.seq, settled_at = now(), "
    "newest_end = given.newest_end, counted = given.counted, refused = given.refused, "
    "refused_why = given.why FROM unnest($1::integer[], $2::bigint[], $3::timestamptz[], "
    "$4::bigint[], $5::bigint[], $6::text[]) AS given (id, seq, newest_end, counted, refused, why) "
    "WHERE m.cluster_id = given.id";
constexpr char kRemove[] = "DELETE FROM priorityd.domain_member WHERE cluster_id = $1";
constexpr char kMissing[] =
    "WITH missing AS (SELECT DISTINCT a.account, a.user_name FROM priorityd.association a "
    "WHERE a.cluster_id = (SELECT $1::integer) AND a.deleted_at IS NULL AND NOT EXISTS ("
    "SELECT FROM priorityd.association d WHERE d.cluster_id = (SELECT $2::integer) "
    "AND d.deleted_at IS NULL AND d.account = a.account AND d.user_name = a.user_name "
    "AND d.partition = '')) "
    "SELECT (SELECT count(*) FROM missing), ARRAY(SELECT account || "
    "CASE user_name WHEN '' THEN '' ELSE '/' || user_name END FROM missing "
    "ORDER BY account COLLATE \"C\", user_name COLLATE \"C\" LIMIT $3::bigint)";
constexpr char kAppendNames[] =
    "INSERT INTO priorityd.domain_share_names (cluster_id, version, accounts, user_names) "
    "VALUES ($1::integer, $2::bigint, $3::text[], $4::text[])";
constexpr char kFindNames[] =
    "SELECT accounts, user_names FROM priorityd.domain_share_names "
    "WHERE cluster_id = $1 AND version = $2";
constexpr char kDeleteNames[] =
    "DELETE FROM priorityd.domain_share_names n WHERE cluster_id = $1 AND version < $2::bigint "
    "AND NOT EXISTS (SELECT FROM priorityd.domain_share s WHERE s.cluster_id = n.cluster_id "
    "AND s.names_version = n.version)";
constexpr char kAppendShares[] =
    "INSERT INTO priorityd.domain_share (cluster_id, generation, accounts, user_names, "
    "fair_shares) VALUES ($1::integer, $2::bigint, $3::text[], $4::text[], "
    "$5::double precision[])";
// The arrays of different lengths are refused by programs that read no others.
constexpr char kAppendPacked[] =
    "INSERT INTO priorityd.domain_share (cluster_id, generation, accounts, user_names, "
    "fair_shares, names_version, packed_shares) VALUES ($1::integer, $2::bigint, '{}', '{}', "
    "'{0}', $3::bigint, decode($4, 'hex'))";
constexpr char kDeleteShares[] =
    "DELETE FROM priorityd.domain_share WHERE (cluster_id, generation) IN "
    "(SELECT s.cluster_id, s.generation FROM priorityd.domain_share s WHERE s.cluster_id = $1 "
    "AND s.generation <= $2::bigint AND NOT EXISTS (SELECT FROM priorityd.published_domain p "
    "WHERE p.domain_id = s.cluster_id AND p.generation = s.generation) "
    "FOR UPDATE OF s SKIP LOCKED)";
constexpr char kNewest[] =
    "SELECT s.cluster_id, s.generation, "
    "EXISTS (SELECT FROM priorityd.grant_standing g WHERE g.cluster_id = s.cluster_id) "
    "FROM priorityd.domain_member m JOIN priorityd.domain_share s ON s.cluster_id = m.domain_id "
    "WHERE m.cluster_id = $1 ORDER BY s.generation DESC LIMIT 1";
constexpr char kPublished[] =
    "SELECT domain_id, generation FROM priorityd.published_domain WHERE cluster_id = $1";
constexpr char kPublisher[] =
    "SELECT c.name FROM priorityd.published_domain p "
    "JOIN priorityd.cluster c ON c.id = p.cluster_id WHERE p.domain_id = $1 "
    "AND c.former_name IS NULL ORDER BY c.name COLLATE \"C\" LIMIT 1";
constexpr char kFindShares[] =
    "SELECT s.cluster_id, c.name, s.generation, s.names_version, s.accounts, s.user_names, "
    "s.fair_shares, encode(s.packed_shares, 'hex') FROM priorityd.domain_share s "
    "JOIN priorityd.cluster c ON c.id = s.cluster_id "
    "WHERE s.cluster_id = $1 AND s.generation = $2";
// The lock keeps the row until it is referred to.
constexpr char kPublish[] =
    "INSERT INTO priorityd.published_domain (cluster_id, domain_id, generation) "
    "SELECT $1::integer, s.cluster_id, s.generation FROM (SELECT cluster_id, generation "
    "FROM priorityd.domain_share WHERE cluster_id = $2::integer AND generation = $3::bigint "
    "FOR KEY SHARE) AS s ON CONFLICT (cluster_id) DO UPDATE SET domain_id = excluded.domain_id, "
    "generation = excluded.generation";
constexpr char kUnpublish[] = "DELETE FROM priorityd.published_domain WHERE cluster_id = $1";

constexpr char kLackingTres[] =
    "SELECT DISTINCT t.name FROM priorityd.cluster_tres c JOIN priorityd.tres t ON t.id = "
    "c.tres_id "
    "WHERE c.cluster_id = ANY ($1::integer[]) AND t.id > 8 AND NOT EXISTS ("
    "SELECT FROM priorityd.cluster_tres d WHERE d.cluster_id = $2 AND d.tres_id = c.tres_id)";

struct LedgersStatement {
  // Few records of many clusters: each look-up is by its index.
  std::string read = absl::StrCat(
      "SELECT m.id, u.seq, ", UsageRecordColumns().Selected("u."),
      ", a.account, a.user_name, target.end_time "
      "FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS m (id, after, upto) "
      "CROSS JOIN LATERAL (SELECT * FROM priorityd.usage_record r WHERE r.cluster_id = m.id "
      "AND r.seq > m.after AND r.seq <= m.upto ORDER BY r.seq LIMIT $4::bigint) AS u "
      "CROSS JOIN LATERAL (SELECT o.account, o.user_name FROM priorityd.association o "
      "WHERE o.cluster_id = u.cluster_id AND ",
      IsByIndex("o.id", "u.association_id"),
      ") AS a LEFT JOIN LATERAL (SELECT t.end_time FROM priorityd.usage_record t "
      "WHERE u.replaces_record_id <> '' AND t.cluster_id = u.cluster_id AND t.source = u.source "
      "AND ",
      IsByIndex("t.record_id", "u.replaces_record_id"), ") AS target ON true ORDER BY m.id, u.seq");
};

const std::string& ReadMembersLedgers() {
  static const auto* const statement = new LedgersStatement;
  return statement->read;
}

// Steps from source to source of the domain ($1), as those of UsageSourceStore. A source of a
// member is #ID/NAME/SOURCE; $2 and $3 are the present id and name.
struct CountedTwiceStatement {
  std::string find = absl::StrCat(
      "WITH RECURSIVE s AS (SELECT (SELECT r.source FROM priorityd.usage_record r "
      "WHERE r.cluster_id = $1 ORDER BY r.source, r.end_time, r.seq LIMIT 1) AS source UNION ALL "
      "SELECT (SELECT r.source FROM priorityd.usage_record r WHERE r.cluster_id = $1 "
      "AND r.source > s.source ORDER BY r.source, r.end_time, r.seq LIMIT 1) FROM s "
      "WHERE s.source IS NOT NULL), "
      "parts AS (SELECT source, split_part(substr(source, 2), '/', 1) AS id, "
      "substr(source, strpos(source, '/') + 1) AS rest FROM s WHERE starts_with(source, '#')), "
      "other AS (SELECT source, substr(rest, length($3::text) + 2) AS own FROM parts "
      "WHERE id ~ '^[0-9]+$' AND id <> $2::integer::text AND starts_with(rest, $3::text || '/')) "
      "SELECT other.source FROM other CROSS JOIN LATERAL (SELECT FROM priorityd.counted_usage d "
      "CROSS JOIN LATERAL (SELECT m.seq FROM priorityd.usage_record m WHERE m.cluster_id = $2 "
      "AND m.source = other.own AND ",
      IsByIndex("m.record_id", "d.record_id"),
      ") AS same WHERE d.cluster_id = $1 AND d.source = other.source "
      "AND d.end_time > d.start_time AND (d.billing_rate > 0 OR cardinality(d.tres_ids) > 0) "
      "LIMIT 1) AS twice LIMIT 1");
};

const std::string& FindCountedTwice() {
  static const auto* const statement = new CountedTwiceStatement;
  return statement->find;
}

DomainMember DecodeMember(RowReader& row) {
  DomainMember member;
  row.Read(&member.cluster_id, &member.cluster, &member.domain_id, &member.domain, &member.prices,
           &member.joined_at, &member.counts_from, &member.settled_seq, &member.settled_at,
           &member.newest_end, &member.counted, &member.refused, &member.refused_why);
  return member;
}

MemberRecord DecodeMemberRecord(RowReader& row) {
  MemberRecord record;
  row.Read(&record.cluster_id, &record.seq);
  record.record = UsageRecordColumns().Decode(row);
  row.Read(&record.account, &record.user_name, &record.target_end);
  return record;
}

DomainStore::Missing DecodeMissing(RowReader& row) {
  DomainStore::Missing missing;
  row.Read(&missing.count, &missing.first);
  return missing;
}

DomainGeneration DecodeGeneration(RowReader& row) {
  DomainGeneration of;
  row.Read(&of.domain_id, &of.generation);
  return of;
}

DomainNameColumns DecodeNames(RowReader& row) {
  DomainNameColumns names;
  row.Read(&names.accounts, &names.user_names);
  return names;
}

DomainShareRow DecodeShares(RowReader& row) {
  DomainShareRow shares;
  std::optional<std::string> packed;
  row.Read(&shares.domain_id, &shares.domain, &shares.generation, &shares.names_version);
  shares.names = DecodeNames(row);
  row.Read(&shares.fair_shares, &packed);
  if (!packed.has_value()) return shares;
  auto unpacked = UnpackDoubles(absl::HexStringToBytes(*packed));
  if (!unpacked.has_value()) row.Fail();
  shares.fair_shares = std::move(unpacked).value_or(std::vector<double>());
  return shares;
}

NewestOfDomain DecodeNewest(RowReader& row) {
  NewestOfDomain newest{.of = DecodeGeneration(row)};
  row.Read(&newest.has_grants);
  return newest;
}

template <typename Row>
absl::StatusOr<Row> OrNone(absl::StatusOr<std::optional<Row>> found) {
  if (!found.ok()) return found.status();
  return found->value_or(Row());
}

}  // namespace

absl::StatusOr<std::vector<DomainMember>> DomainStore::List() {
  return transaction_.Query(
      DecodeMember, absl::StrCat(kMembers, "ORDER BY d.name COLLATE \"C\", c.name COLLATE \"C\""));
}

absl::StatusOr<std::vector<DomainMember>> DomainStore::MembersOf(int32_t domain_id) {
  return transaction_.Query(
      DecodeMember, absl::StrCat(kMembers, "WHERE m.domain_id = $1 ORDER BY c.name COLLATE \"C\""),
      {domain_id});
}

absl::StatusOr<std::vector<DomainMember>> DomainStore::MembersWithNews(int32_t domain_id) {
  return transaction_.Query(
      DecodeMember,
      absl::StrCat(kMembers,
                   "WHERE m.domain_id = $1 AND EXISTS (SELECT FROM priorityd.usage_record u "
                   "WHERE u.cluster_id = m.cluster_id AND u.seq > m.settled_seq) "
                   "ORDER BY c.name COLLATE \"C\""),
      {domain_id});
}

absl::StatusOr<std::optional<DomainMember>> DomainStore::Find(int32_t cluster_id, bool locks) {
  return transaction_.QueryOptional(
      DecodeMember,
      absl::StrCat(kMembers, "WHERE m.cluster_id = $1", locks ? " FOR UPDATE OF m" : ""),
      {cluster_id});
}

absl::Status DomainStore::Put(const DomainMember& member) {
  auto deleted = transaction_.Execute(kDeleteOldShares, {member.domain_id});
  if (!deleted.ok()) return deleted.status();
  const auto tres = Column(member.prices, [](const NamedAmount& price) { return price.name; });
  const auto prices = Column(member.prices, [](const NamedAmount& price) { return price.amount; });
  return transaction_
      .Execute(kPut, {member.cluster_id, member.domain_id, tres, prices, member.counts_from})
      .status();
}

absl::StatusOr<std::vector<DomainMember>> DomainStore::Lock(const std::vector<int32_t>& cluster_ids,
                                                            bool waits) {
  return transaction_.Query(
      DecodeMember,
      absl::StrCat(kMembers, "WHERE m.cluster_id = ANY ($1::integer[]) ORDER BY m.cluster_id ",
                   "FOR UPDATE OF m", waits ? "" : " SKIP LOCKED"),
      {cluster_ids});
}

absl::Status DomainStore::SetSettled(const std::vector<DomainMember>& members) {
  using M = DomainMember;
  const auto column = [&](auto member) {
    return Column(members, [member](const M& of) { return of.*member; });
  };
  return transaction_
      .Execute(kSetSettled,
               {column(&M::cluster_id), column(&M::settled_seq), column(&M::newest_end),
                column(&M::counted), column(&M::refused), column(&M::refused_why)})
      .status();
}

absl::StatusOr<bool> DomainStore::Remove(int32_t cluster_id) {
  auto removed = transaction_.Execute(kRemove, {cluster_id});
  if (!removed.ok()) return removed.status();
  return *removed > 0;
}

absl::StatusOr<std::vector<MemberRecord>> DomainStore::ReadLedgers(
    const std::vector<MemberRange>& ranges, int64_t limit) {
  const auto column = [&](auto member) {
    return Column(ranges, [member](const MemberRange& of) { return of.*member; });
  };
  return transaction_.Query(DecodeMemberRecord, ReadMembersLedgers(),
                            {column(&MemberRange::cluster_id), column(&MemberRange::after),
                             column(&MemberRange::upto), limit});
}

absl::StatusOr<std::vector<std::string>> DomainStore::LackingTres(
    const std::vector<int32_t>& cluster_ids, int32_t domain_id) {
  return transaction_.Query(OnlyColumn<std::string>, kLackingTres, {cluster_ids, domain_id});
}

absl::StatusOr<DomainStore::Missing> DomainStore::MissingOf(int32_t cluster_id, int32_t domain_id,
                                                            int64_t limit) {
  return transaction_.QueryOne(DecodeMissing, kMissing, {cluster_id, domain_id, limit});
}

absl::StatusOr<std::optional<std::string>> DomainStore::CountedByOtherId(
    const DomainMember& member) {
  return transaction_.QueryOptional(OnlyColumn<std::string>, FindCountedTwice(),
                                    {member.domain_id, member.cluster_id, member.cluster});
}

absl::Status DomainStore::AppendNames(int32_t domain_id, int64_t version,
                                      const DomainNameColumns& names) {
  return transaction_.Execute(kAppendNames, {domain_id, version, names.accounts, names.user_names})
      .status();
}

absl::StatusOr<std::optional<DomainNameColumns>> DomainStore::FindNames(int32_t domain_id,
                                                                        int64_t version) {
  return transaction_.QueryOptional(DecodeNames, kFindNames, {domain_id, version});
}

absl::Status DomainStore::AppendShares(const DomainShareRow& shares) {
  const int32_t id = shares.domain_id;
  auto appended =
      shares.names_version.has_value()
          ? transaction_.Execute(kAppendPacked,
                                 {id, shares.generation, *shares.names_version,
                                  absl::BytesToHexString(PackDoubles(shares.fair_shares))})
          : transaction_.Execute(kAppendShares, {id, shares.generation, shares.names.accounts,
                                                 shares.names.user_names, shares.fair_shares});
  if (!appended.ok()) return appended.status();
  auto deleted = transaction_.Execute(kDeleteShares, {id, shares.generation - kGenerationsKept});
  if (!deleted.ok() || !shares.names_version.has_value()) return deleted.status();
  return transaction_.Execute(kDeleteNames, {id, *shares.names_version}).status();
}

absl::StatusOr<NewestOfDomain> DomainStore::NewestFor(int32_t cluster_id) {
  return OrNone(transaction_.QueryOptional(DecodeNewest, kNewest, {cluster_id}));
}

absl::StatusOr<DomainGeneration> DomainStore::PublishedFor(int32_t cluster_id) {
  return OrNone(transaction_.QueryOptional(DecodeGeneration, kPublished, {cluster_id}));
}

absl::StatusOr<std::optional<DomainShareRow>> DomainStore::FindShares(const DomainGeneration& of) {
  return transaction_.QueryOptional(DecodeShares, kFindShares, {of.domain_id, of.generation});
}

absl::StatusOr<std::optional<std::string>> DomainStore::PublisherOf(int32_t domain_id) {
  return transaction_.QueryOptional(OnlyColumn<std::string>, kPublisher, {domain_id});
}

absl::Status DomainStore::Publish(int32_t cluster_id, const DomainGeneration& of) {
  if (of.domain_id == 0) return transaction_.Execute(kUnpublish, {cluster_id}).status();
  auto published = transaction_.Execute(kPublish, {cluster_id, of.domain_id, of.generation});
  if (!published.ok()) return published.status();
  if (*published == 1) return absl::OkStatus();
  return absl::AbortedError("the domain's shares were replaced since they were read");
}

}  // namespace priorityd::storage
