#!/bin/bash
# Each rule of include_rules.sh catches its breach: a tree of one file that breaks one rule is refused by that line.
set -u
rules=$(dirname "$0")/include_rules.sh
tree=$(mktemp -d)
trap 'rm -r "$tree"' EXIT
failed=0

expect() {  # STATUS FILE INCLUDE
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/$(dirname "$2")"
  echo "#include $3" > "$tree/$2"
  "$rules" "$tree" > "$tree/said"
  local status=$?
  if [ "$status" != "$1" ] || { [ "$1" = 1 ] && ! grep -qF "$2:1:#include $3" "$tree/said"; }; then
    echo "$2 with $3: exit $status, expected $1; said: $(cat "$tree/said")"
    failed=1
  fi
}

expect 0 src/core/a.hpp '"src/core/b.hpp"'
expect 0 src/core/a.hpp '<vector>'
expect 0 src/record/a.cpp '"src/run/b.hpp"'
expect 0 src/record/h5_calls.hpp '<hdf5.h>'
expect 0 src/torch/a.cpp '<torch/torch.h>'
expect 0 jobs/a.cpp '"jobs/b.hpp"'
expect 0 tests/src/core/a.cpp '"tests/fakes.hpp"'
expect 1 src/core/a.hpp '"src/run/b.hpp"'
expect 1 src/forecast/a.cpp '"src/device/b.hpp"'
expect 1 src/train/a.cpp '"src/torch/b.hpp"'
expect 1 jobs/a.cpp '"src/train/b.hpp"'
expect 1 jobs/a.cpp '"analysis/b.hpp"'
expect 1 analysis/tables/a.cpp '"jobs/b.hpp"'
expect 1 src/train/a.cpp '<torch/torch.h>'
expect 1 src/train/a.cpp '<ATen/ATen.h>'
expect 1 src/record/reader.cpp '<hdf5.h>'
expect 1 src/record/h5.hpp '<H5Fpublic.h>'
expect 1 src/run/yaml.hpp '<yaml-cpp/yaml.h>'
expect 1 jobs/a.cpp '<boost/program_options.hpp>'
expect 1 src/train/machine.cpp '<nvml.h>'
expect 1 src/torch/a.cpp '<png.h>'
expect 1 src/text/utf8.cpp '<utf8proc.h>'
expect 1 src/ranks/session.cpp '<sodium.h>'
expect 1 src/stream/journal.cpp '<sqlite3.h>'
expect 1 src/stream/transports/tcp.cpp '<zmq.h>'
expect 1 src/stream/transports/redis.cpp '<hiredis/hiredis.h>'
expect 1 src/core/a.cpp '"tests/fakes.hpp"'
expect 1 src/core/a.cpp '"b.hpp"'
# stages inside a folder
expect 0 jobs/plan/a.cpp '"jobs/submit/b.hpp"'
expect 1 jobs/submit/a.cpp '"jobs/plan/b.hpp"'
expect 1 jobs/cluster/a.cpp '"jobs/commands/b.hpp"'
expect 0 analysis/predict/a.cpp '"analysis/records/b.hpp"'
expect 1 analysis/records/a.cpp '"analysis/groups/b.hpp"'
expect 1 analysis/export/a.cpp '"analysis/import/b.hpp"'
expect 1 analysis/import/a.cpp '"analysis/tables/b.hpp"'
expect 0 src/torch/run/a.cpp '"src/torch/network/b.hpp"'
expect 1 src/torch/base/a.cpp '"src/torch/network/b.hpp"'
expect 1 src/torch/models/a.cpp '"src/torch/datasets/b.hpp"'
exit "$failed"
