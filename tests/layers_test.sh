#!/usr/bin/env bash
# The layering holds, and its check can fail.
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..

python3 "$root/tools/layers.py" "$root"

# A seeded breach of each kind must be found.
seed() {  # FOLDER FILE LINE
  local tree
  tree=$(mktemp -d)
  mkdir -p "$tree/$1"
  printf '%s\n' "$3" > "$tree/$1/$2"
  if python3 "$root/tools/layers.py" "$tree" > "$tree/out"; then
    echo "not found: $3 in $1/$2" >&2
    exit 1
  fi
  grep -q "$1/$2:1:" "$tree/out"
}
seed server/priority policy.h '#include "storage/database.h"'
seed server/priority policy.h '#include "priority/v1/job.pb.h"'
seed server/priority policy.h '#include <pqxx/pqxx>'
seed server/slurm hostlist.cc '#include <spdlog/spdlog.h>'
seed storage database.cc '#include "server/priority/policy.h"'
seed server/ingest ingest.cc '#include "server/rpc/status.h"'
seed client client.cc '#include "server/priority/policy.h"'
seed storage BUILD 'deps = ["//server/priority:policy"]'
seed client BUILD 'deps = ["//storage"]'
