#!/bin/bash
# Plays the live desktops of Debian 13 on a machine with another release: live-debian13.sh [TARGET...]. Without a target,
# it is `make test-desktops-live`. It runs as root, needs debootstrap, and keeps the root, with a .build of its own, in
# .build/debian13. What it installs is in there.
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
root=${DEBIAN13_ROOT:-$repository/.build/debian13}
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")

if [ "${1:-}" != --inside ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "live-debian13: it makes a root of Debian 13, so it must run as root" >&2
        exit 77
    fi
    if [ "$toolchain" = / ]; then
        echo "live-debian13: it needs a Swift toolchain in a folder of its own, not in /usr" >&2
        exit 1
    fi
    if ! [ -x "$root/usr/bin/make" ]; then
        echo "live-debian13: making $root"
        debootstrap --variant=minbase trixie "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
        cp /etc/resolv.conf /etc/hosts "$root/etc/"
        # No service starts in there.
        printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
        chmod +x "$root/usr/sbin/policy-rc.d"
        chroot "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends ca-certificates git make gcc g++ libc6-dev binutils libncurses6 libcurl4t64 libxml2 \
            libedit2 zlib1g-dev pkg-config tzdata procps iproute2 >/dev/null'
    fi
    exec unshare --mount --propagation private bash "$0" --inside "$@"
fi
shift

# A root that was entered by pivot_root, and not by chroot, may have user namespaces, in which plugins are confined.
mount --bind "$root" "$root"
mkdir -p "$root$toolchain" "$root$repository" "$root/.before" "$root/build-of-its-own"
mount --bind "$toolchain" "$root$toolchain"
mount --bind "$repository" "$root$repository"
mount --bind "$root/build-of-its-own" "$root$repository/.build"
for folder in /proc /dev /sys; do mount --rbind "$folder" "$root$folder"; done
cd "$root"
pivot_root . .before
cd "$repository"
umount -l /.before
exec env -i HOME=/root USER=root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    PATH="$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    make "${@:-test-desktops-live}"
