#!/bin/bash
# Each rule of include_rules.py catches its breach: a tree of one file that breaks one rule is refused by that line.
set -u
rules=$(dirname "$0")/include_rules.py
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

expect 0 src/base/core/a.hpp '"src/base/core/b.hpp"'
expect 0 src/base/core/a.hpp '<vector>'
expect 0 src/record/a.cpp '"src/record/run/b.hpp"'
expect 0 src/record/h5_calls.hpp '<hdf5.h>'
expect 0 src/training/torch/a.cpp '<torch/torch.h>'
expect 0 jobs/a.cpp '"jobs/b.hpp"'
expect 0 tests/src/base/core/a.cpp '"tests/fakes.hpp"'
expect 1 src/base/core/a.hpp '"src/record/run/b.hpp"'
expect 1 src/forecast/run/a.cpp '"src/forecast/device/b.hpp"'
expect 1 src/training/loop/a.cpp '"src/training/torch/b.hpp"'
expect 1 jobs/a.cpp '"src/training/loop/b.hpp"'
expect 1 jobs/a.cpp '"analysis/b.hpp"'
expect 1 analysis/tables/a.cpp '"jobs/b.hpp"'
expect 1 src/training/loop/a.cpp '<torch/torch.h>'
expect 1 src/training/loop/a.cpp '<ATen/ATen.h>'
expect 1 src/record/reader.cpp '<hdf5.h>'
expect 1 src/record/h5.hpp '<H5Fpublic.h>'
expect 1 src/base/config/yaml.hpp '<yaml-cpp/yaml.h>'
expect 1 jobs/a.cpp '<boost/program_options.hpp>'
expect 1 src/measure/attempt/machine.cpp '<nvml.h>'
expect 1 src/training/torch/a.cpp '<png.h>'
expect 1 src/base/text/utf8.cpp '<utf8proc.h>'
expect 1 src/training/ranks/session.cpp '<sodium.h>'
expect 1 src/serving/stream/journal.cpp '<sqlite3.h>'
expect 1 src/serving/stream/transports/tcp.cpp '<zmq.h>'
expect 1 src/serving/stream/transports/tcp.cpp '<hiredis/hiredis.h>'
expect 1 src/base/core/a.cpp '"tests/fakes.hpp"'
expect 1 src/base/core/a.cpp '"b.hpp"'
expect 0 jobs/scheduler/a.cpp '"src/base/process/command.hpp"'
expect 1 jobs/plan/a.cpp '"src/base/process/command.hpp"'
expect 1 jobs/plan/a.cpp '"src/slurm/job_info.hpp"'
# programs are above all; a folder inside another has its own list; events.hpp is alone
expect 0 src/programs/jobs/main.cpp '"jobs/b.hpp"'
expect 1 src/programs/jobs/main.cpp '"analysis/b.hpp"'
expect 1 src/serving/load/a.cpp '"src/programs/load/b.hpp"'
expect 1 src/record/run/a.cpp '"src/record/b.hpp"'
expect 1 src/measure/events/epochcast/a.hpp '"src/base/core/b.hpp"'
expect 1 src/runner/a.cpp '"src/measure/events/epochcast/b.hpp"'
# stages inside a folder
expect 0 jobs/plan/a.cpp '"jobs/submit/b.hpp"'
expect 1 jobs/submit/a.cpp '"jobs/plan/b.hpp"'
expect 1 jobs/cluster/a.cpp '"jobs/commands/b.hpp"'
expect 0 analysis/predict/a.cpp '"analysis/records/b.hpp"'
expect 1 analysis/records/a.cpp '"analysis/groups/b.hpp"'
expect 1 analysis/export/a.cpp '"analysis/import/b.hpp"'
expect 1 analysis/import/a.cpp '"analysis/tables/b.hpp"'
expect 0 src/training/torch/run/a.cpp '"src/training/torch/network/b.hpp"'
expect 1 src/training/torch/base/a.cpp '"src/training/torch/network/b.hpp"'
expect 1 src/training/torch/models/a.cpp '"src/training/torch/datasets/b.hpp"'
# the picture of the README is the list of the CMake files
fence=$(printf '\140\140\140')
picture() {  # STATUS TEXT
  rm -rf "${tree:?}"/*
  mkdir "$tree/src"
  printf '%s\n' "$fence" "$2" "$fence" > "$tree/src/README.md"
  "$rules" "$tree" > "$tree/said"
  local status=$?
  if [ "$status" != "$1" ]; then
    echo "a picture: exit $status, expected $1; said: $(cat "$tree/said")"
    failed=1
  fi
}
floors=$("$rules" --floors)
picture 0 "$floors"
picture 1 "${floors/base/cellar}"
exit "$failed"
