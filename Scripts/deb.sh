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
# The build has written which packages it took.
sed -n 's/.*"identity" : "\(.*\)".*/\1/p' Package.resolved | while read -r package; do
    if ! grep -qx "Files: $package" debian/copyright; then
        echo "deb.sh: debian/copyright does not tell of $package, which is linked in" >&2
        exit 1
    fi
done
debian/rules clean >/dev/null 2>&1
lintian --fail-on error,warning --allow-root .build/packages/*.deb
shellcheck Scripts/*.sh Plugins/*.sh debian/*.postinst debian/*.prerm
# What is in the packages, checked by those who will read it.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
for package in .build/packages/*.deb; do dpkg-deb -x "$package" "$unpacked"; done
appstreamcli validate --no-net "$unpacked"/usr/share/metainfo/*.xml
desktop-file-validate "$unpacked"/usr/share/applications/*.desktop "$unpacked"/etc/xdg/autostart/*.desktop
find "$unpacked/usr/share/man" -name '*.gz' | while read -r page; do
    told=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    if [ -n "$told" ]; then
        echo "deb.sh: $page: $told" >&2
        exit 1
    fi
done
echo "packages: lintian, shellcheck, appstreamcli, desktop-file-validate and man find no faults"
ls -l .build/packages
