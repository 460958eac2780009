#!/bin/sh
# Verifies the systemd user unit in its installed form.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed "s|@bindir@|/usr/bin|g; s|/usr/bin/callkitd|/bin/true|g" dbus/callkitd.service.in > "$folder/callkitd.service"
XDG_RUNTIME_DIR=$folder systemd-analyze verify --user "$folder/callkitd.service"
echo "units: systemd-analyze finds no errors"
