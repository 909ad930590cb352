#!/bin/bash
# An installation works from wherever it is moved to: `cmake --install`, moved, and a small campaign with its programs.
# Usage: install_test.sh BUILD_FOLDER
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/installed" >"$folder/log" || { cat "$folder/log"; exit 1; }
mv "$folder/installed" "$folder/moved"
bin=$folder/moved/bin
cd "$folder"
cat >experiment.yaml <<'YAML'
name: moved
model: mlp
dataset: {name: disc, samples: 200}
batch: 100
sweep: {epochs: [1, 2]}
YAML
"$bin/epochcast-jobs" generate experiment.yaml --cluster local -o out
"$bin/epochcast-jobs" check out
"$bin/epochcast-jobs" run out
"$bin/epochcast-analyze" table lab out/records | tee table
grep -q 'epochs' table
# The trainer alone, started as a job script starts it: no environment variable leads to LibTorch.
env -i "$bin/epochcast-train" list >models
grep -q dcgan models
env -i "$bin/epochcast-run" --help >/dev/null
env -i "$bin/epochcast-load" --help >/dev/null
# What programs of others use.
echo '#include <epochcast/events.hpp>' | c++ -std=c++17 -I "$folder/moved/include" -fsyntax-only -x c++ -
python3 -m pip install --quiet --no-index --target "$folder/site" "$folder/moved/share/epochcast/python"
PYTHONPATH=$folder/site python3 -c 'import epochcast; epochcast.log(loss=1)'
