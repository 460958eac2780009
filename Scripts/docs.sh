#!/bin/sh
# Builds the site: docs.sh BUILD_DIR OUT_DIR. DocC reads the symbols of the SDK's modules in BUILD_DIR and its articles,
# Scripts/site writes pages of them, of docs/, of the bus contract and of the scenarios, and Sphinx makes HTML of these.
# It fails on any warning, such as a broken link.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: docs.sh BUILD_DIR OUT_DIR" >&2
    exit 64
fi
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for module in OpenCallKit OpenCallKitPort OpenCallKitTestKit; do
    # shellcheck disable=SC2046
    swift-symbolgraph-extract -module-name "$module" -I "$1/Modules" -target "$(uname -m)-unknown-linux-gnu" \
        -output-dir "$work" -Xcc "-fmodule-map-file=$root/Sources/Ground/CSystem/module.modulemap" \
        -Xcc "-fmodule-map-file=$root/Sources/Ground/CDBus/module.modulemap" \
        -minimum-access-level public -skip-synthesized-members $(pkg-config --cflags dbus-1 | sed 's/-I/-Xcc -I/g')
done
docc convert "$root/Sources/SDK/OpenCallKit/OpenCallKit.docc" --additional-symbol-graph-dir "$work" \
    --fallback-display-name OpenCallKit --fallback-bundle-identifier org.opencallkit.OpenCallKit \
    --warnings-as-errors --output-path "$work/archive"
"$python" "$root/Scripts/site/pages.py" "$work/archive" "$work/pages"
"$root/.build/sphinx/bin/sphinx-build" -q -W --keep-going -j auto -c "$root/Scripts/site" -d "$work/read" \
    "$work/pages" "$work/site"
"$python" "$root/Scripts/site/check.py" "$work/site"
rm -rf "$2" "$work/site/.buildinfo"
mkdir -p "$(dirname "$2")"
mv "$work/site" "$2"
echo "docs: $2/index.html"
