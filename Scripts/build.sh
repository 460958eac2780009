#!/bin/sh
# Runs `swift build` with the output in a file, and prints the errors and the last lines if it fails:
# build.sh LOG [OPTION...]
set -eu

if [ $# -lt 1 ]; then
    echo "usage: build.sh LOG [OPTION...]" >&2
    exit 64
fi
log=$1
shift
mkdir -p "$(dirname "$log")"
echo "build: ${SWIFT:-swift} build${*:+ $*}; the first time takes some minutes, its output goes to $log"
status=0
# shellcheck disable=SC2086
${SWIFT:-swift} build "$@" >"$log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    {
        grep -E '(^|[^a-z])error: ' "$log" | sort -u | head -n 20 || true
        echo "build: failed with $status; the last lines of $log:"
        tail -n 30 "$log"
    } >&2
fi
exit "$status"
