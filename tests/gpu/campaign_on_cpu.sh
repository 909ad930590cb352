#!/bin/bash
# tests/gpu/campaign without a GPU, so that only the GPU itself is new when one is there. Usage: campaign_on_cpu.sh BUILD
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
python=.deps/python/bin/python
[[ -x $python ]] || { echo "skipped: no PyTorch to compare with (env/deps python)"; exit 77; }
[[ -x $1/bin/gpu_losses ]] || { echo "skipped: no test programs (cmake --build $1 --target gpu_programs)"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
$python tests/gpu/campaign --device cpu --quick --rounds 1 --minutes 45 --build "$1" --out "$out"
grep -q '^| parity distilbert fp32 | passed |' "$out/gpu-report.md"
tar -tzf "$out/records.tar.gz" records/truth-1.h5
