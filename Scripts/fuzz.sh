#!/bin/sh
# Fuzzes the reader of compiled directories, the parser of lists, the reader of vCards, and what reads the packets and
# messages of the far side of a SIP call, with libFuzzer and AddressSanitizer: fuzz.sh SECONDS BUILD_DIR. Leaves each
# finding in BUILD_DIR, and fails then.
set -eu

seconds=$1
build=$2
mkdir -p "$build"
root=$(pwd)
flags="-O -wmo -swift-version 6 -parse-as-library -sanitize=fuzzer,address -enable-upcoming-feature ExistentialAny"
flags="$flags -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility"
# The modules are of one package, as in Package.swift.
flags="$flags -package-name opencallkit"
cd "$build"

module() {
    # shellcheck disable=SC2086
    swiftc $flags -I . -c -emit-module -module-name "$2" "$root/Sources/$1/$2/"*.swift -o "$2.o" \
        -emit-module-path "$2.swiftmodule"
}

echo "fuzz: building"
module Core CallModel
module Store CallDirectory
# shellcheck disable=SC2086
swiftc $flags -I . CallModel.o CallDirectory.o "$root/Tests/Unit/Fuzzing/FuzzDirectory.swift" -module-name FuzzDirectory \
    -o fuzz-directory 2>&1 | grep -v 'Cannot export local symbol' >&2 || true
clang -O2 -g -fsanitize=fuzzer-no-link,address -I "$root/Sources/Client/CCSV/include" -c "$root/Sources/Client/CCSV/csv_record.c" -o CCSV.o
lists=$(find "$root/Plugins/ListDirectory" -name '*.swift' ! -name ListDirectory.swift)
# shellcheck disable=SC2086
swiftc $flags -I . -I "$root/Sources/Client/CCSV/include" CCSV.o CallModel.o $lists "$root/Tests/Unit/Fuzzing/FuzzList.swift" \
    -lcsv -module-name FuzzList -o fuzz-list 2>&1 | grep -v 'Cannot export local symbol' >&2 || true

contacts="-I $root/Sources/Store/CVCard/include -isystem /usr/include/KF5/KContacts -isystem /usr/include/KF5/KContacts/kcontacts"
# shellcheck disable=SC2046,SC2086
clang++ -std=c++17 -g -O1 -fPIC -fsanitize=fuzzer,address $contacts $(pkg-config --cflags Qt5Gui) \
    "$root/Sources/Store/CVCard/vcard.cpp" "$root/Tests/Unit/Fuzzing/FuzzContacts.cpp" -lKF5Contacts -lQt5Core -o fuzz-contacts 2>&1 \
    | grep -v 'Cannot export local symbol' >&2 || true

# sip NAME SOURCE FILE...: the source takes the place of the engine's files, which it includes.
engine="$root/Plugins/SIP/Engine"
sip_flags="-std=gnu11 -O1 -g -I $engine -I $engine/include -isystem /usr/include/re -isystem /usr/include/rem"
sip() {
    name=$1 source=$2
    shift 2
    objects=
    for file in "$engine"/*.c; do
        part=$(basename "$file" .c)
        case " $* " in *" $part "*) ;; *) objects="$objects sip/$part.o" ;; esac
    done
    # shellcheck disable=SC2086
    clang $sip_flags -fsanitize=fuzzer,address "$root/Tests/Unit/Fuzzing/$source.c" $objects -lre -lrem -lssl -lcrypto -lopus \
        -lspandsp -lpulse -lm -o "fuzz-$name" 2>&1 | grep -v 'Cannot export local symbol' >&2 || true
}
mkdir -p sip
for file in "$engine"/*.c; do
    # shellcheck disable=SC2086
    clang $sip_flags -fsanitize=fuzzer-no-link,address -c "$file" -o "sip/$(basename "$file" .c).o"
done
sip sip-media FuzzSIPMedia transport
sip sip-signalling FuzzSIPSignalling call_requests referral replaces
PYTHONPATH="$root/Tests/EndToEnd" python3 -m sip.torture corpus-sip-signalling

run() {
    mkdir -p "corpus-$1"
    if ! "./fuzz-$1" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -max_len=16384 -print_final_stats=1 \
        -artifact_prefix="$root/$build/$1-" "corpus-$1" "$root/Tests/Unit/Fuzzing/corpus/$1" >"$1.txt" 2>&1; then
        tail -40 "$1.txt" >&2
        echo "fuzz: $1: a finding, see $build" >&2
        exit 1
    fi
    echo "fuzz: $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$1.txt") inputs in $seconds s, no finding"
}

# Two at a time, as many as the smallest machine has processors.
for names in "directory list" "contacts sip-media" "sip-signalling"; do
    running=
    for name in $names; do
        run "$name" &
        running="$running $!"
    done
    for process in $running; do wait "$process"; done
done
