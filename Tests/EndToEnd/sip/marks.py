"""Marks of tests that prove that something works with a program: docs/interop.md is made of them."""

PROGRAMS = ("Kamailio", "baresip", "linphone", "sipp", "coturn", "Twinkle", "Jami", "Janus", "GNOME Calls", "ejabberd",
            "rtpengine")
FEATURES = ("register", "out", "in", "hold", "remote hold", "DTMF", "reasons", "TLS", "SDES", "DTLS", "ICE", "TURN",
            "transfer", "Opus", "G.722", "session timer", "IPv6")

marks = {}
"""Names of tests by program and feature."""


def interop(program, *features):
    """Marks a test that proves that these features work with the program."""
    check(program, *features)

    def mark(test):
        for feature in features:
            marks.setdefault((program, feature), []).append(f"{test.__module__}.{test.__qualname__}")
        return test
    return mark


def proves(*features):
    """Marks a test that several programs share, each with a class of its own: see `interops`."""
    def mark(test):
        test.proves = features
        return test
    return mark


def interops(program):
    """Marks a class of tests whose shared tests prove their features for this program."""
    check(program)

    def mark(tests):
        for name in dir(tests):
            for feature in getattr(getattr(tests, name), "proves", ()):
                check(program, feature)
                marks.setdefault((program, feature), []).append(f"{tests.__module__}.{tests.__qualname__}.{name}")
        return tests
    return mark


def check(program, *features):
    assert program in PROGRAMS and all(feature in FEATURES for feature in features), (program, features)
