"""Writes docs/interop.md: what works with which program, as the marks of the tests say. `python3 -m sip.interop --check`
compares the page with them only."""

import glob
import importlib
import os
import sys

from sip.marks import FEATURES, PROGRAMS, marks
from support.contract import REPOSITORY

PAGE = os.path.join(REPOSITORY, "docs", "interop.md")

RELAY = "the sound does not pass through it"
PHONE = "it is a phone: Kamailio is the registrar"
PACKETS = "it relays packets and knows no calls"
NOT_IN_SIPP = "sipp cannot do it"
NOT_IN_TWINKLE = "Twinkle 1.10 has none, as Debian builds it"
STOPS = "before a call of its own, Jami 13.7 asks the kernel for IPv6 addresses, misses the end of a short answer, and stops"

ABSENT = {
    **{("Kamailio", feature): RELAY for feature in ("DTMF", "SDES", "DTLS", "ICE", "TURN", "Opus", "G.722")},
    ("baresip", "register"): PHONE,
    ("baresip", "session timer"): "baresip 1.0 has none",
    ("linphone", "register"): PHONE,
    ("linphone", "TURN"): "it is told of no relay here",
    ("sipp", "register"): PHONE,
    ("sipp", "TLS"): "it speaks UDP here, behind Kamailio",
    **{("sipp", feature): NOT_IN_SIPP for feature in ("DTLS", "ICE", "TURN", "Opus", "G.722")},
    ("Twinkle", "register"): PHONE,
    **{("Twinkle", feature): NOT_IN_TWINKLE
       for feature in ("TLS", "SDES", "DTLS", "ICE", "TURN", "Opus", "G.722", "session timer", "IPv6")},
    ("Jami", "register"): PHONE,
    **{("Jami", feature): STOPS for feature in ("in", "remote hold")},
    **{("Jami", feature): "most times that it starts, Jami 13.7 stays at TRYING and never registers, so no more was tried"
       for feature in ("TLS", "SDES", "DTLS", "ICE", "TURN", "Opus", "G.722", "session timer", "IPv6")},
    ("Janus", "register"): PHONE,
    ("Janus", "TLS"): "Janus 1.1 finds no transport for it, with a certificate either",
    **{("Janus", feature): "Janus 1.1 has it towards browsers, not towards SIP" for feature in ("DTLS", "ICE", "TURN")},
    ("Janus", "G.722"): "its browser here, GStreamer, has none as Debian builds it",
    ("Janus", "session timer"): "Janus 1.1 asks for none",
    ("Janus", "IPv6"): "Janus 1.1 has one address for SIP, which is IPv4 here",
    ("GNOME Calls", "register"): PHONE,
    **{("GNOME Calls", feature): "GNOME Calls 44 cannot do it in SIP calls"
       for feature in ("remote hold", "DTMF", "DTLS", "ICE", "TURN", "transfer", "Opus", "session timer", "IPv6")},
    ("GNOME Calls", "G.722"): "it needs FFmpeg's codecs for GStreamer, which are not installed here",
    **{("ejabberd", feature): RELAY for feature in ("DTMF", "SDES", "DTLS", "ICE", "TURN", "Opus", "G.722")},
    ("ejabberd", "TLS"): "it records one way for the rest of a call, which is that of UDP here, and ACK does not get through",
    ("ejabberd", "IPv6"): "it records one way for the rest of a call, which is IPv4 here",
    **{("rtpengine", feature): "it relays the sound of a server's calls, and knows no SIP"
       for feature in ("register", "reasons", "TLS", "transfer", "session timer")},
    **{("rtpengine", feature): "Kamailio asks it for none here" for feature in ("ICE", "TURN", "IPv6")},
    **{("coturn", feature): PACKETS for feature in FEATURES if feature not in ("ICE", "TURN")},
}
"""Why no test proves this, by program and feature."""

HEAD = """# What SIP works with

The tests of the plugin SIP run against real programs. This page is made out of the tests, by
`Tests/EndToEnd/sip/interop.py`: edit the marks there, not this page.

- **Kamailio**: a registrar and proxy, over UDP, TCP and TLS
- **baresip**: a phone with the SIP stack libre, as this plugin has
- **linphone**: a phone with a SIP stack of its own
- **sipp**: scripts, which send what a phone seldom sends
- **coturn**: a STUN and TURN server
- **Twinkle**: a phone with a SIP stack of its own, and ccRTP
- **Jami**: a phone with the SIP stack pjsip
- **Janus**: a gateway to WebRTC with the SIP stack sofia-sip, whose browser is GStreamer
- **GNOME Calls**: a phone with the SIP stack sofia-sip
- **ejabberd**: another registrar and proxy, over UDP and TCP
- **rtpengine**: a relay of sound, behind Kamailio

`yes` means that at least one test proves it; the tests are below. A letter says why there is none.
"""


def collect():
    """Imports all tests of the plugin, whose marks are then known."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(folder, "test_*.py"))):
        importlib.import_module(f"sip.{os.path.basename(path)[:-3]}")


def problems():
    """What is wrong with the marks and the reasons, as sentences."""
    cells = [(program, feature) for program in PROGRAMS for feature in FEATURES]
    return [f"{', '.join(cell)}: {'both' if cell in marks else 'neither'} a test and a reason why there is none"
            for cell in cells if (cell in marks) == (cell in ABSENT)]


def page():
    """The page, as the marks say."""
    reasons = sorted({reason for cell, reason in ABSENT.items() if cell not in marks})
    letters = {reason: chr(ord("a") + index) for index, reason in enumerate(reasons)}
    lines = [HEAD, f"| | {' | '.join(PROGRAMS)} |", "|---" * (len(PROGRAMS) + 1) + "|"]
    for feature in FEATURES:
        cells = ["yes" if (program, feature) in marks else letters.get(ABSENT.get((program, feature)), "?")
                 for program in PROGRAMS]
        lines.append(f"| {feature} | {' | '.join(cells)} |")
    lines.append("")
    lines += [f"- {letter}: {reason}" for reason, letter in letters.items()]
    lines += ["", "## The tests", ""]
    for program in PROGRAMS:
        lines += [f"### {program}", ""]
        for feature in FEATURES:
            names = sorted(set(marks.get((program, feature), [])))
            lines += [f"- {feature}: {', '.join(f'`{name}`' for name in names)}"] if names else []
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main():
    collect()
    wrong = problems()
    if wrong:
        sys.exit("interop: " + "; ".join(wrong))
    if "--check" in sys.argv:
        with open(PAGE, encoding="utf-8") as file:
            sys.exit(0 if file.read() == page() else "interop: docs/interop.md differs from the tests")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page())


if __name__ == "__main__":
    main()
