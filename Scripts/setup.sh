#!/bin/sh
# Installs the missing packages that OpenCallKit needs, with apt: setup.sh [PART...]. Without a part, those to build and
# run it; a part of the tests needs more (setup.sh --help lists the parts). With --check it installs nothing, and fails if
# a package is missing. It asks nothing, and runs as root or with sudo.
set -eu

build="
    libdbus-1-dev    libdbus, used by the DBus module
    libphonenumber-dev  turns telephone numbers into E.164
    libicu-dev       ICU, with which names are found in any spelling
    libkf5contacts-dev  KContacts, which reads vCards
    libsqlite3-dev   SQLite, which stores recents and favorites
    libcsv-dev       reads lists of numbers and writes exports in CSV
    libpulse-dev     libpulse, with which the desktop agent rings, on PulseAudio and PipeWire
    libsndfile1-dev  reads ringtones
    libadwaita-1-dev  GTK and libadwaita, with which the phone draws its window
    libsecret-1-dev  libsecret, which keeps secrets of accounts in the keyring
    libre-dev        libre, the SIP and media stack of the SIP plugin
    librem-dev       librem, which goes with it: codecs and resampling
    libopus-dev      the Opus codec
    libspandsp-dev   the G.722 codec
    libssl-dev       OpenSSL, with which certificates of SIP servers are checked
    xdg-dbus-proxy   lets a plugin talk to the services of a bus that it was granted, and to no other
    gettext          compiles translations
    pkg-config       finds these libraries
    dbus             dbus-daemon, dbus-run-session, dbus-monitor
    python3          runs the demo, and providers and clients in the tests
    python3-dbus     D-Bus for Python
    python3-gi       the main loop for Python
    python3-venv     keeps pytest in the build folder
    libglib2.0-bin   gdbus, a client in the tests
    systemd          busctl and systemd-analyze, for the tests
    gcc              compiles clients in C, for the tests
    g++              the standard library of C++
    make             runs the Makefile
    binutils         strips what is installed
    lowdown          writes manual pages of documents
    patchelf         lets installed programs find the Swift runtime that they share
"

clients="
    gjs              runs the JavaScript examples
    libglib2.0-dev   gdbus-codegen, which writes clients in C
    qtbase5-dev      qdbusxml2cpp, which writes clients in C++
    qdbus-qt5        qdbus, a client in Qt
"

disks="
    strace           makes system calls of the store fail
"

sound="
    pulseaudio       a sound server
    pulseaudio-utils pactl, parec and paplay
"

desktop="$sound
    pipewire         another sound server
    pipewire-pulse   PipeWire for clients of PulseAudio
    wireplumber      the session manager of PipeWire
    sound-theme-freedesktop  the ringtone of the theme
    sox              makes sound files of several formats
    libsox-fmt-mp3   MP3 for sox
    mpv              a player
    mpv-mpris        lets it be paused
    xvfb             an X server without a screen
    xdotool          presses buttons
    imagemagick      takes pictures of the screen
    dunst            a server of notifications
    xfce4-notifyd    another one, with buttons
    xfconf           the settings of Xfce
    mako-notifier    one for Wayland
    sway             a Wayland compositor without a screen
    adwaita-icon-theme   icons, without which GTK programs end
    librsvg2-common  draws them
    shared-mime-info tells what they are
    at-spi2-core     reads what is on a screen
    phosh            the lock screen of phones
    phoc             its compositor
    gnome-settings-daemon-common  settings that it needs
    gnome-shell-common   more of them
    gnome-session-bin    more of them
    gsettings-desktop-schemas  the settings of GNOME
    dconf-service    keeps them
    dconf-gsettings-backend  reads them
    feedbackd        vibrates
    evolution-data-server  address books
    desktop-file-utils   tells desktops which program opens links
"

phone="
    xvfb             an X server without a screen
    xdotool          presses keys
    imagemagick      takes pictures of the screen
    at-spi2-core     reads what is on a screen
    adwaita-icon-theme   icons
    librsvg2-common  draws them
    shared-mime-info tells what they are
"

# Names that a release lacks are left out: Plasma 5 and 6 call their parts differently.
live="$desktop
    gnome-shell      GNOME
    gnome-settings-daemon  the settings of GNOME
    gir1.2-gdm-1.0   GNOME's lock screen
    fonts-cantarell  its font
    plasma-workspace Plasma
    plasma-desktop   its panel
    kwin-x11         its window manager
    kwin-wayland     its compositor
    breeze           its style
    breeze-icon-theme  its icons
    kactivitymanagerd  its activities
    libkscreenlocker5  the lock screen of Plasma 5
    libkscreenlocker6  the lock screen of Plasma 6
    qtwayland5       Wayland for Plasma 5
    qt6-wayland      Wayland for Plasma 6
    cinnamon         Cinnamon
    marco            MATE's window manager
    mate-notification-daemon  MATE's notifications
    lxqt-notificationd  LXQt's notifications
    budgie-core      Budgie
    grim             takes pictures of sway
    sway-notification-center  notifications with buttons on sway
"

accounts="
    gnome-keyring    a keyring
    libsecret-tools  secret-tool, which shows what is in it
    linphone-cli     a phone, whose accounts are imported
"

cellular="
    modemmanager     drives modems
"

ofono="
    ofono            drives the modems of other phones
"

# Names that a release lacks are left out: the tests of that program are skipped.
sip="$sound
    kamailio         a SIP registrar and proxy
    kamailio-tls-modules  TLS for it
    baresip-core     a SIP phone
    linphone-cli     another one, with a stack of its own
    sip-tester       sipp, which plays scripts of SIP messages
    twinkle-console  a third one, with other stacks
    libasound2-plugins  lets it use a sound server
    jami-daemon      a fourth one, with pjsip
    janus            a gateway to WebRTC, with sofia-sip
    gstreamer1.0-nice  what a browser does for it
    gstreamer1.0-plugins-bad  more of that
    gstreamer1.0-plugins-good  more of that
    gir1.2-gst-plugins-bad-1.0  GStreamer for Python
    gnome-calls      a fifth one, with sofia-sip
    gstreamer1.0-alsa  its sound
    xvfb             its screen
    libsecret-tools  keeps its password
    rtpengine-daemon  a relay of sound
    ejabberd         another registrar and proxy
    erlang-p1-sip    its SIP stack
    coturn           a STUN and TURN server
    dnsmasq-base     a name server
    modemmanager     drives the modem whose call holds a SIP call
"

deb="
    debhelper        builds packages for Debian
    dh-apparmor      profiles in packages
    desktop-file-utils   checks the entry of the phone in menus
    lintian          checks packages
    shellcheck       checks scripts
    appstream        checks what is said of the phone in catalogs
    man-db           checks manual pages
    debootstrap      makes a Debian in which they are tried
"

sandbox="
    bubblewrap       makes containers, and sandboxes as Flatpak does
    flatpak          makes and runs an app of its own
"

# The sandbox lists system calls by architecture. Its tests run on 64-bit ARM itself, or by these.
if [ "$(uname -m)" != aarch64 ]; then
    sandbox="$sandbox
    gcc-aarch64-linux-gnu    compiles the sandbox for 64-bit ARM
    libc6-dev-arm64-cross    the C library for it
    qemu-user        runs what was compiled
"
fi

packages="$build"
checks=""
for part in "$@"; do
    case "$part" in
        clients) packages="$packages$clients" ;;
        disks) packages="$packages$disks" ;;
        desktop) packages="$packages$desktop" ;;
        desktops-live) packages="$packages$live" ;;
        phone) packages="$packages$phone" ;;
        accounts) packages="$packages$accounts" ;;
        cellular) packages="$packages$cellular" ;;
        ofono) packages="$packages$ofono" ;;
        sip) packages="$packages$sip" ;;
        sandbox) packages="$packages$sandbox" ;;
        deb) packages="$packages$deb" ;;
        --check) checks=yes ;;
        *)
            echo "usage: setup.sh [--check] [PART...]; parts: clients disks desktop desktops-live accounts cellular ofono sip sandbox phone deb" >&2
            [ "$part" = --help ] && exit 0
            exit 64
            ;;
    esac
done

if ! command -v swift >/dev/null 2>&1; then
    echo "setup: swift is missing; OpenCallKit needs a Swift 6.3 toolchain (https://www.swift.org/install/linux)" >&2
    exit 1
fi

# Where there is no apt, the names of packages are others.
if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: these are the packages by their names on Debian; docs/installing.md has those of other distributions:"
    echo "$packages" | grep . | sort -u
    exit 0
fi

missing=$(echo "$packages" | while read -r name purpose; do
    if [ -z "$name" ] || [ -e ".build/$name/usr/sbin" ]; then continue; fi
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || echo "$name"
done | sort -u)

if [ -z "$missing" ]; then exit 0; fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi
if [ -n "$checks" ]; then
    echo "setup: packages are missing; install them with" >&2
    echo "    ${as_root:+$as_root }apt-get install $(echo "$missing" | tr '\n' ' ')" >&2
    exit 1
fi
if [ -n "$as_root" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "setup: neither root nor sudo is available; install by hand: $(echo "$missing" | tr '\n' ' ')" >&2
    exit 1
fi

echo "setup: installing with apt:"
echo "$packages" | sort -u | while read -r name purpose; do
    if [ -n "$name" ] && echo "$missing" | grep -qx "$name"; then echo "    $name: $purpose"; fi
done
$as_root apt-get update -qq
# Debian 13's ofono excludes modemmanager, which the machine may need: it is unpacked for the tests, and not installed.
if echo "$missing" | grep -qx ofono && apt-get install --simulate ofono 2>/dev/null | grep -q '^Remv modemmanager'; then
    mkdir -p .build/ofono
    (cd .build/ofono && apt-get download -qq ofono && dpkg -x ofono_*.deb .)
    missing=$(echo "$missing" | grep -vx ofono || true)
fi
if [ -z "$missing" ]; then exit 0; fi
case " $* " in *" desktops-live "* | *" sip "*)
    missing=$(for name in $missing; do apt-cache show "$name" >/dev/null 2>&1 && echo "$name"; done || true)
esac
# $1: the packages, a line each.
install() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null
}
# Servers of others are for the tests, which start their own: none starts now, or with the machine.
servers=$(echo "$missing" | grep -xE 'coturn|ejabberd|janus|kamailio|rtpengine-daemon' || true)
others=$(echo "$missing" | grep -vxE 'coturn|ejabberd|janus|kamailio|rtpengine-daemon' || true)
if [ -n "$others" ]; then install "$others"; fi
if [ -n "$servers" ]; then
    policy=/usr/sbin/policy-rc.d
    if ! [ -e "$policy" ]; then
        trap '$as_root rm -f "$policy"' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
        $as_root chmod +x "$policy"
    fi
    install "$servers"
    for server in $servers; do
        if [ -d /run/systemd/system ]; then $as_root systemctl --quiet disable "$server" || true; fi
    done
fi
echo "setup: done"
