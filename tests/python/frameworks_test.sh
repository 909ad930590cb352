#!/bin/bash
# Runs frameworks_test.py with the Python that has the frameworks: $EPOCHCAST_PROGRAMS, else .deps/programs (env/deps
# programs). Usage: frameworks_test.sh FOLDER_OF_PROGRAMS
here=$(dirname "$(readlink -f "$0")")
python=${EPOCHCAST_PROGRAMS:-$here/../../.deps/programs/bin/python}
if ! [[ -x $python ]]; then
    echo "skipped: needs a Python with lightning, keras, transformers: env/deps programs, or EPOCHCAST_PROGRAMS=PYTHON"
    exit 77
fi
EPOCHCAST_BINARY_DIR=$1 exec "$python" "$here/frameworks_test.py" --verbose
