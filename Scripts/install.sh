#!/bin/sh
# Installs a release build, adds the samples, which only pretend to have a network, or removes both:
# install.sh BUILD DESTDIR PREFIX | install.sh --samples BUILD DESTDIR PREFIX | install.sh --remove DESTDIR PREFIX
set -eu
if [ "$1" = --samples ]; then
    exec sh Plugins/bundle.sh "$2" "$3$4/lib/opencallkit/plugins" MonkeyCall Hotline
fi
build=$1 root=$2$3 prefix=$3
programs="callkitd callctl"
services="org.opencallkit.CallSystem1 org.opencallkit.Desktop1 org.opencallkit.Phone"
units="callkitd callkit-desktop"
# Sessions look for autostart files in /etc/xdg, wherever programs are.
case $prefix in
    /usr | /usr/local) autostart=$2/etc/xdg/autostart ;;
    *) autostart=$root/etc/xdg/autostart ;;
esac
# Profiles that let the sandbox of workers be built, for an installation of the system's.
profiles=$2/etc/apparmor.d
case $prefix in /usr | /usr/local) ;; *) profiles= ;; esac

icons=$root/share/icons/hicolor
icon=org.opencallkit.Phone

# Tells desktops which program opens links, and which icons there are. A folder for packages has no theme: its scripts do it.
update_desktops() {
    if command -v update-desktop-database >/dev/null 2>&1; then
        update-desktop-database -q "$root/share/applications" || true
    fi
    if [ -e "$icons/index.theme" ] && command -v gtk-update-icon-cache >/dev/null 2>&1; then
        gtk-update-icon-cache -q "$icons" || true
    elif [ -d "$icons" ]; then
        # Desktops look for new icons where the time of the folder has changed.
        touch "$icons"
    fi
}

if [ "$build" = --remove ]; then
    for program in $programs; do rm -f "$root/bin/$program"; done
    rm -rf "$root/libexec/opencallkit" "$root/lib/opencallkit"
    for service in $services; do rm -f "$root/share/dbus-1/services/$service.service"; done
    for unit in $units; do rm -f "$root/lib/systemd/user/$unit.service"; done
    rm -f "$root"/share/dbus-1/interfaces/org.opencallkit.*.xml
    if [ -n "$profiles" ]; then rm -f "$profiles/opencallkit"; fi
    rm -f "$root/share/applications/org.opencallkit.Phone.desktop" "$autostart/callkit-desktop.desktop"
    rm -f "$icons/scalable/apps/$icon.svg" "$icons/symbolic/apps/$icon-symbolic.svg"
    update_desktops
    exit 0
fi

# Writes a file of dbus/ with the folders of this installation: fill NAME TARGET
fill() {
    sed "s|@bindir@|$prefix/bin|g; s|@libexecdir@|$prefix/libexec/opencallkit|g" "dbus/$1.in" > "$2"
}

for program in $programs; do install -D -m 755 "$build/$program" "$root/bin/$program"; done
for program in callkit-worker callkit-store callkit-contacts callkit-secrets callkit-desktop; do
    install -D -m 755 "$build/$program" "$root/libexec/opencallkit/$program"
done
sh Plugins/bundle.sh "$build" "$root/lib/opencallkit/plugins" ListDirectory Cellular SIP
mkdir -p "$root/share/dbus-1/services" "$root/share/dbus-1/interfaces" "$root/lib/systemd/user" \
    "$root/share/applications" "$autostart"
for service in $services; do fill "$service.service" "$root/share/dbus-1/services/$service.service"; done
for unit in $units; do fill "$unit.service" "$root/lib/systemd/user/$unit.service"; done
fill org.opencallkit.Phone.desktop "$root/share/applications/org.opencallkit.Phone.desktop"
fill callkit-desktop.desktop "$autostart/callkit-desktop.desktop"
install -D -m 644 "dbus/icons/$icon.svg" "$icons/scalable/apps/$icon.svg"
install -D -m 644 "dbus/icons/$icon-symbolic.svg" "$icons/symbolic/apps/$icon-symbolic.svg"
install -m 644 dbus/org.opencallkit.*.xml "$root/share/dbus-1/interfaces/"
if [ -n "$profiles" ] && [ -e /etc/apparmor.d/abi/4.0 ]; then
    mkdir -p "$profiles"
    fill opencallkit.apparmor "$profiles/opencallkit"
    # Without a folder for packages, this is the machine that runs them.
    if [ "$profiles" = /etc/apparmor.d ]; then apparmor_parser -r "$profiles/opencallkit" || true; fi
fi
update_desktops
echo "installed below $root; start it with: systemctl --user start callkitd callkit-desktop (or let D-Bus start it)"
