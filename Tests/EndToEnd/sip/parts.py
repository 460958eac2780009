"""Bodies in several parts (RFC 2046), written to the byte."""

from sip.stranger import sound

LOCATION = "<presence/>"


def part(body, *headers):
    """A part with these headers. Lines end as the whole says."""
    return "\r\n".join([*headers, "", body])


def described(port, *headers, **options):
    """A part that describes sound at this port."""
    return part(sound(port, **options), "Content-Type: application/sdp", *headers)


def unknown(*headers, kind="application/pidf+xml", body=LOCATION):
    """A part that nobody here understands."""
    return part(body, f"Content-Type: {kind}", *headers)


OPTIONAL = unknown("Content-Disposition: render;handling=optional")


def several(*parts, kind="mixed", boundary="b1", quoted=None, preamble="", epilogue="", end="\r\n", more=""):
    """The header Content-Type and the body."""
    delimiter = f"{end}--{boundary}"
    text = preamble + delimiter + end + f"{delimiter}{end}".join(parts) + f"{delimiter}--{end}" + epilogue
    if not preamble:
        text = text.removeprefix(end)
    if end != "\r\n":
        text = text.replace("\r\n", end)
    return f"Content-Type: multipart/{kind};boundary={quoted or boundary}{more}", text


def nested(*parts, depth, boundary="b"):
    """Parts that are in a part, and so on."""
    header, body = several(*parts, boundary=f"{boundary}{depth}")
    for number in reversed(range(depth)):
        header, body = several(part(body, header), boundary=f"{boundary}{number}")
    return header, body
