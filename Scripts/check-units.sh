#!/bin/sh
# Verifies the systemd user units in their installed form, how exposed they leave their programs, and the desktop files.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_RUNTIME_DIR="$folder"
for unit in callkitd callkit-desktop; do
    sed "s|@[a-z]*dir@/$unit|/bin/true|g" "dbus/$unit.service.in" > "$folder/$unit.service"
done
systemd-analyze verify --user "$folder/callkitd.service" "$folder/callkit-desktop.service"
echo "units: systemd-analyze finds no errors"

if command -v desktop-file-validate >/dev/null 2>&1; then
    for file in dbus/*.desktop.in; do
        sed "s|@[a-z]*dir@/[a-z-]*|/bin/true|g" "$file" > "$folder/$(basename "$file" .in)"
        desktop-file-validate "$folder/$(basename "$file" .in)"
    done
    echo "units: desktop-file-validate finds no errors"
fi

# systemd-analyze takes every unit for one of root with all capabilities. A user's manager has the user's id and no
# capabilities, and cannot set either; a copy of the unit says so. What remains is left to the worker's own sandbox.
# check_exposure UNIT THRESHOLD, the latter in tenths
check_exposure() {
    { sed '/^\[Install\]/,$d' "$folder/$1.service"; echo User=somebody; echo CapabilityBoundingSet=; } \
        > "$folder/user.service"
    systemd-analyze security --user --offline=yes --threshold="$2" --no-pager "$folder/user.service" \
        > "$folder/report" || {
        cat "$folder/report"
        exit 1
    }
    tail -n 1 "$folder/report" | sed "s/.*level for user.service: \([0-9.]*\).*/units: $1: exposure \1/"
}
if systemd-analyze --help | grep -q -- --offline; then
    check_exposure callkitd 55
    check_exposure callkit-desktop 45
fi
