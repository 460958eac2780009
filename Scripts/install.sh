#!/bin/sh
# Installs a release build, or removes it: install.sh BUILD DESTDIR PREFIX | install.sh --remove DESTDIR PREFIX
set -eu
build=$1 root=$2$3 prefix=$3
programs="callkitd callctl"

if [ "$build" = --remove ]; then
    for program in $programs; do rm -f "$root/bin/$program"; done
    rm -rf "$root/libexec/opencallkit" "$root/lib/opencallkit"
    rm -f "$root/share/dbus-1/services/org.opencallkit.CallSystem1.service" "$root/lib/systemd/user/callkitd.service"
    rm -f "$root"/share/dbus-1/interfaces/org.opencallkit.*.xml
    exit 0
fi

for program in $programs; do install -D -m 755 "$build/$program" "$root/bin/$program"; done
for program in callkit-worker callkit-store callkit-contacts; do
    install -D -m 755 "$build/$program" "$root/libexec/opencallkit/$program"
done
sh Plugins/bundle.sh "$build" "$root/lib/opencallkit/plugins"
mkdir -p "$root/share/dbus-1/services" "$root/share/dbus-1/interfaces" "$root/lib/systemd/user"
sed "s|@bindir@|$prefix/bin|g" dbus/org.opencallkit.CallSystem1.service.in \
    > "$root/share/dbus-1/services/org.opencallkit.CallSystem1.service"
sed "s|@bindir@|$prefix/bin|g" dbus/callkitd.service.in > "$root/lib/systemd/user/callkitd.service"
install -m 644 dbus/org.opencallkit.*.xml "$root/share/dbus-1/interfaces/"
echo "installed below $root; start it with: systemctl --user start callkitd (or let D-Bus start it)"
