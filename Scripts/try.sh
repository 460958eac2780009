#!/bin/sh
# Runs the daemon, the desktop agent and the sample plugins from a build folder on the user's session bus: try.sh BUILD PLUGINS
set -eu
build=$(cd "$1" && pwd) plugins=$(cd "$2" && pwd)
data=$(dirname "$plugins")/try

if [ -z "${DBUS_SESSION_BUS_ADDRESS:-}" ]; then
    echo "try: DBUS_SESSION_BUS_ADDRESS is not set; without a desktop, run: dbus-run-session -- $SHELL" >&2
    exit 1
fi
mkdir -p "$data"
cat <<TEXT
try: callkitd and callkit-desktop run on your session bus, with the plugins MonkeyCall, Hotline, SIP and
     ListDirectory. Nothing is installed. Recents, favorites and plugins that you install are kept in $data.
     In another terminal of this session:

         export PATH="$build:\$PATH" DBUS_SESSION_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
         export XDG_DATA_HOME="$data"
         callctl                                                             # what goes on
         callctl start tel:5550100 --provider Hotline                        # starts a call
         callctl action MonkeyCall simulate-incoming handle=generic:bananas  # simulates an incoming call: it rings
         callctl answer                                                      # answers it; the first call is held
         callkit-phone                                                       # shows it in a window
         callctl watch                                                       # shows what happens, until Ctrl-C
         callctl plugins install FILE                                        # installs a plugin of yours

     Ctrl-C ends the daemon and its calls.
TEXT
trap : INT TERM
status=0
XDG_DATA_HOME=$data "$build/callkitd" --plugin-path "$plugins" &
daemon=$!
"$build/callkit-desktop" &
agent=$!
wait "$daemon" || status=$?
# A signal ends the wait before the daemon, which gets it from the terminal too.
while kill -0 "$daemon" 2>/dev/null; do
    kill -TERM "$daemon" 2>/dev/null || true
    wait "$daemon" && status=0 || status=$?
done
kill -TERM "$agent" 2>/dev/null || true
wait "$agent" 2>/dev/null || true
if [ "$status" -eq 3 ]; then
    echo "try: a callkitd runs on this bus already; end it first, for example: systemctl --user stop callkitd" >&2
fi
[ "$status" -eq 0 ] && echo "try: ended"
exit "$status"
