#!/bin/sh
# Builds the documentation of the SDK, its test kit and its module for ports, and the reference of the bus, as a static
# site: docs.sh BUILD_DIR OUT_DIR. It reads the symbols of the modules in BUILD_DIR and fails on any warning, such as a
# broken link. It needs no package plugin.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: docs.sh BUILD_DIR OUT_DIR" >&2
    exit 64
fi
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

for module in OpenCallKit OpenCallKitPort OpenCallKitTestKit; do
    # shellcheck disable=SC2046
    swift-symbolgraph-extract -module-name "$module" -I "$1/Modules" -target "$(uname -m)-unknown-linux-gnu" \
        -output-dir "$graphs" -Xcc "-fmodule-map-file=$root/Sources/Ground/CSystem/module.modulemap" \
        -Xcc "-fmodule-map-file=$root/Sources/Ground/CDBus/module.modulemap" \
        -minimum-access-level public -skip-synthesized-members $(pkg-config --cflags dbus-1 | sed 's/-I/-Xcc -I/g')
done
docc convert "$root/Sources/SDK/OpenCallKit/OpenCallKit.docc" --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name OpenCallKit --fallback-bundle-identifier org.opencallkit.OpenCallKit \
    --warnings-as-errors --transform-for-static-hosting --output-path "$2"
"${PYTHON:-/usr/bin/python3}" "$root/Scripts/bus-reference.py" "$2/bus"
echo "docs: $2 (python3 -m http.server -d $2, then /documentation/opencallkit, or /bus)"
