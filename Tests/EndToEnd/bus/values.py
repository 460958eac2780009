"""Values that are not meant, for tests of hostile input."""

from support.messages import variants

FREEDESKTOP = "org.freedesktop.DBus.Error."

MEBIBYTE = 1 << 20

NOTHING = variants({})

BIDI = "\u202e\u2066\u200f"
