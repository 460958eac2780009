#!/bin/sh
# Assembles plugins' bundles: bundle.sh BUILD_DIR OUT_DIR [NAME...] makes OUT_DIR/<Name>.callplugin/ from
# BUILD_DIR/lib<Name>.so and the plugin's resources, by default for the sample plugins. Each bundle is replaced in one
# step, so that a daemon that watches OUT_DIR never sees an incomplete one.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: bundle.sh BUILD_DIR OUT_DIR [NAME...]" >&2
    exit 64
fi
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1 out=$2
shift 2
if [ $# -eq 0 ]; then set -- MonkeyCall Hotline ListDirectory; fi
mkdir -p "$out"

for name in "$@"; do
    library=$build/lib$name.so
    if [ ! -f "$library" ]; then
        echo "bundle.sh: $library is missing: build it first" >&2
        exit 1
    fi
    new=$out/.$name.new
    rm -rf "$new"
    mkdir "$new"
    install -m 755 "$library" "$new/$name.so"
    if [ -d "$here/$name/Resources" ]; then install -m 644 "$here/$name/Resources/"* "$new/"; fi
    rm -rf "$out/$name.callplugin"
    mv "$new" "$out/$name.callplugin"
    echo "bundled $out/$name.callplugin"
done
