// Converts WatchRanking's request and answers.
#ifndef PRIORITYD_SERVER_API_RANKING_CONVERT_WATCH_H_
#define PRIORITYD_SERVER_API_RANKING_CONVERT_WATCH_H_

#include <functional>
#include <string>

#include "priority/v1/snapshot.pb.h"
#include "priority/v1/watch.pb.h"
#include "server/queue/watching/ranking_top.h"
#include "server/queue/watching/ranking_view.h"

namespace priorityd::rpc {

// `cluster`: the resolved name. REQUIRES: the request is valid.
queue::ViewSpec ToViewSpec(const ::priority::v1::WatchRankingRequest& request,
                           const std::string& cluster);

// Encodes WatchRankingResponses.
class WatchEncoder : public queue::Encoder {
 public:
  // `set_staleness` marks an answer whose snapshot may not be the newest.
  explicit WatchEncoder(std::function<void(::priority::v1::Snapshot*)> set_staleness)
      : set_staleness_(std::move(set_staleness)) {}

  std::string State(const queue::RankingTop& top) const override;
  std::string Delta(const queue::RankingTop& before, const queue::RankingTop& after,
                    const queue::TopDelta& delta) const override;

 private:
  std::string Finish(const queue::RankingTop& top,
                     ::priority::v1::WatchRankingResponse* response) const;

  const std::function<void(::priority::v1::Snapshot*)> set_staleness_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_RANKING_CONVERT_WATCH_H_
