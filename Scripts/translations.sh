#!/bin/sh
# Compiles the translations: translations.sh FOLDER, which gets LANGUAGE/LC_MESSAGES/opencallkit.mo.
set -eu
for file in Sources/Phone/Translations/*.po; do
    language=$(basename "$file" .po)
    mkdir -p "$1/$language/LC_MESSAGES"
    msgfmt --check-format --output-file="$1/$language/LC_MESSAGES/opencallkit.mo" "$file"
done
