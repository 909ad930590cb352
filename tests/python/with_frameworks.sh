#!/bin/bash
# Runs a test with the Python of the tests and what stands beside it ('env/deps python programs'), or with
# $EPOCHCAST_PROGRAMS, a Python that has all of it. Usage: with_frameworks.sh FOLDER_OF_PROGRAMS TEST.py
here=$(dirname "$(readlink -f "$0")")
deps=$here/../../.deps
python=${EPOCHCAST_PROGRAMS:-$deps/python/bin/python}
if [[ -z ${EPOCHCAST_PROGRAMS:-} ]]; then
    export PYTHONPATH=$deps/programs
    [[ $2 != trackers* ]] || PYTHONPATH+=:$deps/trackers # its huggingface_hub is too new for the transformers of the others
    if ! [[ -x $python && -d $deps/programs && ($2 != trackers* || -d $deps/trackers) ]]; then
        echo "skipped: needs pandas, lightning, keras, transformers, tensorboard, nbconvert, mlflow, wandb and trackio: env/deps python programs trackers"
        exit 77
    fi
fi
EPOCHCAST_BINARY_DIR=$(realpath "$1") exec "$python" "$here/$2" --verbose
