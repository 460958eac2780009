#!/bin/sh
# Verifies the systemd user unit in its installed form, and how exposed it leaves the daemon.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_RUNTIME_DIR="$folder"
sed "s|@bindir@|/usr/bin|g; s|/usr/bin/callkitd|/bin/true|g" dbus/callkitd.service.in > "$folder/callkitd.service"
systemd-analyze verify --user "$folder/callkitd.service"
echo "units: systemd-analyze finds no errors"

# systemd-analyze takes every unit for one of root with all capabilities. A user's manager has the user's id and no
# capabilities, and cannot set either; a copy of the unit says so. What remains is left to the worker's own sandbox.
if systemd-analyze --help | grep -q -- --offline; then
    { sed '/^\[Install\]/,$d' "$folder/callkitd.service"; echo User=somebody; echo CapabilityBoundingSet=; } \
        > "$folder/user.service"
    systemd-analyze security --user --offline=yes --threshold=55 --no-pager "$folder/user.service" \
        > "$folder/report" || {
        cat "$folder/report"
        exit 1
    }
    tail -n 1 "$folder/report" | sed 's/.*level for user.service: \([0-9.]*\).*/units: exposure \1 of at most 5.5/'
fi
