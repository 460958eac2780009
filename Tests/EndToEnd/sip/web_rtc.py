"""A peer of a WebRTC connection, as a browser is one: GStreamer's webrtcbin, which says a tone and records what it hears.

`python3 -m sip.web_rtc FOLDER FREQUENCY CODEC` reads requests from its input, as lines of JSON, and writes answers.
"""

import json
import os
import sys
import threading

RATE = 48_000
CODECS = {"PCMA": ("alawenc ! rtppcmapay", "rtppcmadepay ! alawdec", "PCMA", 8, "8000"),
          "opus": ("opusenc ! rtpopuspay", "rtpopusdepay ! opusdec", "OPUS", 96, "48000,encoding-params=(string)2")}
"""For each codec what encodes and decodes it, and its name, payload type and clock in an offer."""
ELEMENTS = ("webrtcbin", "nicesrc", "dtlsenc", "srtpenc", "rtppcmapay", "alawenc", "audioresample", "opusenc")


def missing():
    """What is not installed of what this needs."""
    try:
        import gi
        for name in ("Gst", "GstSdp", "GstWebRTC"):
            gi.require_version(name, "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError):
        return ["GStreamer for Python"]
    Gst.init(None)
    return [name for name in ELEMENTS if Gst.ElementFactory.find(name) is None]


class Peer:
    """One connection, over the addresses of this machine: libnice takes no loopback."""

    def __init__(self, folder, frequency, codec):
        encoder, self.decoder, name, payload, clock = CODECS[codec]
        self.path = os.path.join(folder, "heard.raw")
        self.pipeline = Gst.parse_launch(
            f"webrtcbin name=peer bundle-policy=max-bundle audiotestsrc is-live=true volume=0.8 freq={frequency} ! "
            f"audioconvert ! audioresample ! {encoder} pt={payload} ! application/x-rtp,media=audio,"
            f"encoding-name={name},payload={payload},clock-rate={clock} ! peer.")
        self.peer = self.pipeline.get_by_name("peer")
        self.has_gathered, self.has_caps = threading.Event(), threading.Event()
        self.peer.get_static_pad("sink_0").connect("notify::caps", lambda *_: self.has_caps.set())
        self.peer.connect("notify::ice-gathering-state", self.note_gathering)
        self.peer.connect("pad-added", self.record)
        self.pipeline.set_state(Gst.State.PLAYING)

    def note_gathering(self, peer, _):
        if peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.has_gathered.set()

    def record(self, _peer, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        writer = Gst.parse_bin_from_description(
            f"{self.decoder} ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate={RATE},channels=1 ! "
            f"filesink location={self.path} buffer-mode=unbuffered sync=false async=false", True)
        self.pipeline.add(writer)
        writer.sync_state_with_parent()
        pad.link(writer.get_static_pad("sink"))

    def offer(self):
        # Until sound comes, an offer does not tell its SSRC, without which Janus takes no sound.
        self.has_caps.wait()
        return self.describe("create-offer", "offer")

    def answer(self, offer):
        self.take("OFFER", offer)
        return self.describe("create-answer", "answer")

    def take(self, kind, text):
        """Takes the description of the other side."""
        _, message = GstSdp.SDPMessage.new_from_text(text)
        kind = getattr(GstWebRTC.WebRTCSDPType, kind)
        self.ask("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kind, message))

    def describe(self, member, key):
        promise = self.ask(member, None)
        # The description is of the reply, and that of the promise.
        reply = promise.get_reply()
        description = reply.get_value(key)
        self.ask("set-local-description", description)
        # Candidates stand in the description, instead of following it.
        self.has_gathered.wait()
        return self.peer.get_property("local-description").sdp.as_text()

    def ask(self, member, argument):
        promise = Gst.Promise.new()
        self.peer.emit(member, argument, promise)
        assert promise.wait() == Gst.PromiseResult.REPLIED, member
        return promise


def main():
    peer = Peer(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    for line in sys.stdin:
        member, *arguments = json.loads(line)
        print(json.dumps(getattr(peer, member)(*arguments)), flush=True)
    os._exit(0)


if __name__ == "__main__":
    assert not missing()
    from gi.repository import Gst, GstSdp, GstWebRTC
    main()
