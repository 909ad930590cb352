#!/bin/bash
# tests/gpu/campaign on the simulated device, so that only the GPU itself is new when one is there. Usage: campaign_simulated.sh BUILD
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
python=.deps/python/bin/python
[[ -x $python ]] || { echo "skipped: no PyTorch to compare with (env/deps python)"; exit 77; }
[[ -x $1/bin/gpu_losses ]] || { echo "skipped: no test programs (cmake --build $1 --target gpu_programs)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
$python tests/gpu/campaign --device simulated --quick --rounds 1 --patience 8 --build "$1" --out "$folder/out" --work "$folder/work"
# What a machine gives back may be limited to 8 files of 16 MiB, in no folder.
[[ $(find "$folder/out" -mindepth 1 | wc -l) -le 8 && -z $(find "$folder/out" -size +15M) ]]
if grep 'not reached' "$folder/out/gpu-report.md"; then exit 1; fi
grep -q '^| parity distilbert reference:fp32 | passed |' "$folder/out/gpu-report.md"
tar -tzf "$folder/out/records.tar.gz" records/truth-1.h5
# A second call with the same folders, and only its part.
$python tests/gpu/campaign smoke --device simulated --quick --patience 8 --build "$1" --out "$folder/out" --work "$folder/work"
if grep parity "$folder/out/gpu-report.md"; then exit 1; fi
# On a machine without a GPU the smoke part ends the campaign.
if [[ ! -e /dev/nvidia0 ]]; then
    if $python tests/gpu/campaign --device cuda --quick --patience 8 --build "$1" --out "$folder/out" --work "$folder/work"; then exit 1; fi
    if grep parity "$folder/out/gpu-report.md"; then exit 1; fi
fi
# A bundle without the trainer's library for GPUs is refused when it is made.
mkdir -p "$folder/epochcast-0/bin"
tar -czf "$folder/cpu.tar.gz" -C "$folder" epochcast-0
refusal=$(cmake -D "SOURCE=$PWD" -D "BUILD=$folder/bundle" -D "ARCHIVE=$folder/cpu.tar.gz" -P tests/gpu/bundle.cmake 2>&1) && exit 1
grep -q 'the archive has no trainer for GPUs' <<<"$refusal"
# A worker that hangs or dies ends nothing but its check.
PYTHONPATH=tests/bench $python - <<'END'
from turns import Worker
for command, limit_s in ((['sleep', '100'], 1), (['false'], 60)):
    try:
        Worker(command, limit_s=limit_s)
    except SystemExit as error:
        print(error)
    else:
        raise AssertionError(command)
END
