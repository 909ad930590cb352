#!/bin/bash
# Runs frameworks_test.py with the Python of the tests and the frameworks beside it ('env/deps python programs'), or with
# $EPOCHCAST_PROGRAMS, a Python that has them. Usage: frameworks_test.sh FOLDER_OF_PROGRAMS
here=$(dirname "$(readlink -f "$0")")
deps=$here/../../.deps
python=${EPOCHCAST_PROGRAMS:-$deps/python/bin/python}
if [[ -z ${EPOCHCAST_PROGRAMS:-} ]]; then
    export PYTHONPATH=$deps/programs
    if ! [[ -x $python && -d $PYTHONPATH ]]; then
        echo "skipped: needs lightning, keras, transformers and tensorboard: env/deps python programs"
        exit 77
    fi
fi
EPOCHCAST_BINARY_DIR=$(realpath "$1") exec "$python" "$here/frameworks_test.py" --verbose
