#!/bin/sh
# Writes the manual pages of programs and the completions of shells, which the programs give themselves, and the pages of
# files, formats and the bus: manuals.sh BUILD SHARE
set -eu
build=$1 share=$2
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

# The date of the last change, so that a build gives the same pages at any time.
date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" +%F)
for program in callctl callkitd callkit-desktop; do
    case $program in callctl) section=1 ;; *) section=8 ;; esac
    "$build/generate-manual" "$build/$program" --multi-page --date "$date" --section $section -o "$pages"
done

for page in "$pages"/*; do
    section=${page##*.}
    dotted=$(basename "$page" ".$section")
    name=$(echo "$dotted" | tr . -)
    case $dotted in *.help) continue ;; esac
    # The generator (swift-argument-parser 1.8.2) writes empty lines, of which man warns, and dots for the spaces of a command;
    # the names of pages, by which they are found, have dashes.
    sed -e 's/^$/.Pp/' -e '/^\.Xr .*\.help /d' -e '/^\.Xr /s/\.\([a-z]\)/-\1/g' \
        -e "/^\.Dt /s/ [^ ]* / $(echo "$name" | tr '[:lower:]' '[:upper:]') /" \
        -e "s/^\.Nm \"$(echo "$dotted" | tr . ' ')\"$/.Nm $name/" \
        -e "s/^\.Nm$/.Nm \"$(echo "$dotted" | tr . ' ')\"/" "$page" > "$pages/page"
    install -D -m 644 "$pages/page" "$share/man/man$section/$name.$section"
done

python3 Scripts/format-pages.py "$date" "$share"

# Writes the completions of a shell: completions_of SHELL FILE
completions_of() {
    mkdir -p "$share/${2%/*}"
    "$build/callctl" --generate-completion-script "$1" | sed '1{/^#!/d}' > "$share/$2"
}
completions_of bash bash-completion/completions/callctl
completions_of zsh zsh/vendor-completions/_callctl
completions_of fish fish/vendor_completions.d/callctl.fish
