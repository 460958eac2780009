#!/bin/sh
# Installs a release build, adds the samples, which only pretend to have a network, or removes both:
# install.sh BUILD DESTDIR PREFIX | install.sh --samples BUILD DESTDIR PREFIX | install.sh --remove DESTDIR PREFIX
# With STRIP=true, files keep their symbols, which packages have apart.
set -eu
is_samples=
if [ "$1" = --samples ]; then
    is_samples=yes
    shift
fi
build=$1 root=$2$3 prefix=$3
strip=${STRIP:-strip}
programs="callkitd callctl"
services="org.opencallkit.CallSystem1 org.opencallkit.Desktop1 org.opencallkit.Phone org.opencallkit.Phone.Window"
units="callkitd callkit-desktop"
# Where sessions look for autostart files and units: those of the system, or the user's own.
case $prefix in
    /usr | /usr/local) autostart=$2/etc/xdg/autostart folder_of_units=$root/lib/systemd/user ;;
    */.local) autostart=$2${prefix%/.local}/.config/autostart folder_of_units=$root/share/systemd/user ;;
    *) autostart=$root/etc/xdg/autostart folder_of_units=$root/lib/systemd/user ;;
esac
# Profiles that let the sandbox of workers be built, for an installation of the system's.
profiles=$2/etc/apparmor.d
case $prefix in /usr | /usr/local) ;; *) profiles= ;; esac

icons=$root/share/icons/hicolor
icon=org.opencallkit.Phone

# Tells desktops which program opens links, and which icons there are. Those who install a package do it themselves.
update_desktops() {
    if [ "$root" != "$prefix" ]; then return; fi
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
    for unit in $units; do rm -f "$folder_of_units/$unit.service"; done
    rm -f "$root"/share/dbus-1/interfaces/org.opencallkit.*.xml
    if [ -n "$profiles" ]; then rm -f "$profiles/opencallkit"; fi
    rm -f "$root/share/applications/org.opencallkit.Phone.desktop" "$autostart/callkit-desktop.desktop"
    rm -f "$root/share/metainfo/org.opencallkit.Phone.metainfo.xml" "$root"/share/locale/*/LC_MESSAGES/opencallkit.mo
    rm -f "$root"/share/man/man1/callctl*.1 "$root"/share/man/man8/callkit*.8
    rm -f "$root"/share/man/man5/callkit*.5 "$root"/share/man/man5/org.opencallkit.*.5
    rm -f "$root/share/bash-completion/completions/callctl" "$root/share/zsh/vendor-completions/_callctl" \
        "$root/share/fish/vendor_completions.d/callctl.fish"
    rm -f "$icons/scalable/apps/$icon.svg" "$icons/symbolic/apps/$icon-symbolic.svg"
    update_desktops
    exit 0
fi

# All programs and plugins share one Swift runtime, which is copied from the toolchain: share_runtime RUNPATH FILE... lets
# files find it. Of plugins the worker says where it is: the loader gets an open file, and does not know its folder.
runtime=$root/lib/opencallkit/swift
share_runtime() {
    path=$1
    shift
    ldd "$@" | sed -n 's|^\t[^ ]* => \(.*/lib/swift/[^ ]*\) .*|\1|p' | sort -u | while read -r library; do
        if [ -e "$runtime/${library##*/}" ]; then continue; fi
        install -D -m 644 "$library" "$runtime/${library##*/}"
        strip --strip-unneeded "$runtime/${library##*/}"
    done
    for file in "$@"; do
        if [ -n "$path" ]; then patchelf --set-rpath "$path" "$file"; else patchelf --remove-rpath "$file"; fi
        $strip --strip-unneeded "$file"
    done
}

# Installs plugins: add_plugins NAME... They are finished before a daemon can see them.
plugins=$root/lib/opencallkit/plugins
add_plugins() {
    staged=$(mktemp -d)
    for plugin in "$@"; do
        install -m 755 "$build/lib$plugin.so" "$staged/lib$plugin.so"
        share_runtime "" "$staged/lib$plugin.so"
    done
    sh Plugins/bundle.sh "$staged" "$plugins" "$@"
    rm -rf "$staged"
}

if [ -n "$is_samples" ]; then
    add_plugins MonkeyCall Hotline
    exit 0
fi
# That of an earlier installation may be of another Swift.
if [ "$build" != --remove ]; then rm -rf "$runtime"; fi

version=$(sed -n 's/.*text = "\(.*\)"/\1/p' Sources/Core/CallModel/Version.swift)
# That of the last change, so that two builds have the same.
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" +%F)
# Writes a file of dbus/ with the folders of this installation: fill NAME TARGET
fill() {
    sed "s|@bindir@|$prefix/bin|g; s|@libexecdir@|$prefix/libexec/opencallkit|g; s|@version@|$version|; s|@date@|$date|" \
        "dbus/$1.in" > "$2"
}

for program in $programs; do
    install -D -m 755 "$build/$program" "$root/bin/$program"
    # shellcheck disable=SC2016
    share_runtime '$ORIGIN/../lib/opencallkit/swift' "$root/bin/$program"
done
for program in callkit-worker callkit-store callkit-contacts callkit-secrets callkit-desktop callkit-phone; do
    install -D -m 755 "$build/$program" "$root/libexec/opencallkit/$program"
    # shellcheck disable=SC2016
    share_runtime '$ORIGIN/../../lib/opencallkit/swift' "$root/libexec/opencallkit/$program"
done
add_plugins ListDirectory Cellular SIP
mkdir -p "$root/share/dbus-1/services" "$root/share/dbus-1/interfaces" "$folder_of_units" "$root/share/applications" \
    "$autostart"
for service in $services; do fill "$service.service" "$root/share/dbus-1/services/$service.service"; done
for unit in $units; do fill "$unit.service" "$folder_of_units/$unit.service"; done
fill org.opencallkit.Phone.desktop "$root/share/applications/org.opencallkit.Phone.desktop"
mkdir -p "$root/share/metainfo"
fill org.opencallkit.Phone.metainfo.xml "$root/share/metainfo/org.opencallkit.Phone.metainfo.xml"
fill callkit-desktop.desktop "$autostart/callkit-desktop.desktop"
sh Scripts/translations.sh "$root/share/locale"
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
