#!/bin/sh
# Assembles the sample plugins' bundles: bundle.sh BUILD_DIR OUT_DIR makes OUT_DIR/<Name>.callplugin/ from
# BUILD_DIR/lib<Name>.so and the plugin's resources. Each bundle is replaced in one step, so that a daemon that watches
# OUT_DIR never sees an incomplete one.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: bundle.sh BUILD_DIR OUT_DIR" >&2
    exit 64
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$2"

for name in MonkeyCall Hotline ListDirectory; do
    library=$1/lib$name.so
    if [ ! -f "$library" ]; then
        echo "bundle.sh: $library is missing: build it first" >&2
        exit 1
    fi
    new=$2/.$name.new
    rm -rf "$new"
    mkdir "$new"
    install -m 755 "$library" "$new/$name.so"
    if [ -d "$here/$name/Resources" ]; then install -m 644 "$here/$name/Resources/"* "$new/"; fi
    rm -rf "$2/$name.callplugin"
    mv "$new" "$2/$name.callplugin"
    echo "bundled $2/$name.callplugin"
done
