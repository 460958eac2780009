#!/bin/sh
# Builds the packages for Debian in .build/packages, and checks them: deb.sh
set -eu
version=$(sed -n 's/.*text = "\(.*\)"/\1/p' Sources/Core/CallModel/Version.swift)
named=$(dpkg-parsechangelog --show-field Version)
if [ "$version" != "$named" ]; then
    echo "deb.sh: debian/changelog has version $named, expected $version, as in Sources/Core/CallModel/Version.swift" >&2
    exit 1
fi
rm -rf .build/packages
mkdir -p .build/packages
log=.build/packages.log
echo "packages: debian/rules binary; its output goes to $log"
# All files belong to root in the packages, whoever builds them.
if ! DEB_RULES_REQUIRES_ROOT=no debian/rules clean build binary >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
fi
debian/rules clean >/dev/null 2>&1
lintian --fail-on error,warning --allow-root  .build/packages/*.deb
ls -l .build/packages
