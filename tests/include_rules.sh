#!/bin/bash
# Which folder may include which: a folder uses only those before it in the flow of data. And which file alone may
# include a library's headers. Prints every line that breaks a rule; exit 1 if there is one. With a folder as argument:
# checks that tree instead, which must be laid out like this one.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2

# folder: the folders of src/ that it may include, besides itself
folders="
src/core:
src/launcher:
src/run: core
src/cli: core run
src/process: core cli run
src/html: core
src/table: core cli run html text
src/plot: core cli process
src/record: core run
src/telemetry: core run record
src/operators: core record
src/events:
src/progress: core record
src/forecast: core record telemetry
src/ledger: core run forecast
src/device: core run
src/slurm: core process
src/history: core run slurm forecast
src/ranks: core run slurm
src/image: core
src/text: core
src/terminal: core text
src/weights: core
src/train: core cli run process record telemetry forecast device slurm ranks
src/runner: core cli run process record telemetry progress forecast device slurm ranks train
src/http: core
src/redis: core
src/serve: core run cli http redis
src/load: core cli run process table record telemetry slurm train runner http
src/stream: core cli run process record telemetry slurm train image redis serve
src/torch: core cli run record operators forecast device slurm ranks image text train weights serve stream
jobs: core cli process table plot run record progress telemetry device slurm ledger forecast history terminal
analysis: core cli process html table plot run record progress telemetry operators device slurm forecast ledger history
"

# Inside these, a stage is a folder: each may include those before it. Side by side, with '|': neither includes the other.
stages="
jobs: cluster experiment script campaign ledger submit local plan advise live commands
analysis: records import|export groups predict validate table_parts tables|plot_parts plots report sections commands
src/torch: base kernels|data network families models|datasets|optimizers profile|parallel run|cuda
"

# what is included | the only files that may
libraries='
<(torch|ATen|c10)/ | src/torch/
<(hdf5|H5[A-Z]).* | src/record/h5_calls\.hpp
<yaml-cpp/ | src/run/yaml\.cpp
<boost/program_options | src/cli/command_line\.cpp
<boost/(asio|beast|system) | src/http/
<boost/math/ | src/forecast/regression\.cpp
<nvml | src/telemetry/nvml
<zlib\.h | src/core/gzip\.cpp
<sodium | src/core/digest\.cpp
<sqlite3\.h | src/stream/sqlite\.cpp
<zmq | src/stream/zeromq\.cpp
<hiredis | src/redis/connection\.cpp
<(n?curses|term)\.h | src/terminal/screen\.cpp
<pcre2 | src/core/regular_expression\.cpp
<utf8proc | src/text/unicode\.cpp
<png\.h|<jpeglib\.h|<jerror\.h | src/image/
"tests/ | tests/
'

broken=0
complain() {  # RULE; the lines that break it on stdin
  local line
  while IFS= read -r line; do
    echo "$line    ($1)"
    broken=1
  done
}

includes() {  # FOLDER...: FILE:LINE:#include ... of every source in them
  grep -rnE --include='*.cpp' --include='*.hpp' '^ *# *include' "$@" 2>/dev/null
}

while IFS=: read -r folder allowed; do
  [ -n "$folder" ] || continue
  own=${folder#src/}
  complain "$folder may include:${allowed:- nothing} and itself" < <(
    includes "$folder" | grep -E '"(src|jobs|analysis)/' |
      grep -vE "\"(src/(${allowed// /|}|$own)|$folder)/")
done <<< "$folders"

while IFS=: read -r folder stages_of; do
  [ -n "$folder" ] || continue
  before=
  for step in $stages_of; do
    for stage in ${step//|/ }; do
      complain "$folder/$stage may include in $folder:${before:- nothing} and itself" < <(
        includes "$folder/$stage" | grep -E "\"$folder/" | grep -vE "\"$folder/(${before// /|}|$stage)/")
    done
    before+=" ${step//|/ }"
  done
done <<< "$stages"

while IFS= read -r rule; do
  [ -n "$rule" ] || continue
  pattern=${rule%% | *} files=${rule##* | }
  complain "only $files may" < <(includes src jobs analysis | grep -E "include *($pattern)" | grep -vE "^$files")
done <<< "$libraries"

complain "includes are written from the root of the repository" < <(
  includes src jobs analysis tests | grep -E 'include *"' | grep -vE '"(src|jobs|analysis|tests|epochcast)/')

[ "$broken" = 0 ] && echo "every include keeps the rules"
exit "$broken"
