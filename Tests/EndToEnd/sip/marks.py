"""Marks of tests that prove that something works with a program: docs/interop.md is made of them."""

PROGRAMS = ("Kamailio", "baresip", "linphone", "sipp", "coturn")
FEATURES = ("register", "out", "in", "hold", "remote hold", "DTMF", "reasons", "TLS", "SDES", "DTLS", "ICE", "TURN",
            "transfer", "Opus", "G.722", "session timer", "IPv6")

marks = {}
"""Names of tests by program and feature."""


def interop(program, *features):
    """Marks a test that proves that these features work with the program."""
    assert program in PROGRAMS and all(feature in FEATURES for feature in features), (program, features)

    def mark(test):
        for feature in features:
            marks.setdefault((program, feature), []).append(f"{test.__module__}.{test.__qualname__}")
        return test
    return mark
