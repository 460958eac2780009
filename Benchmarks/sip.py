#!/usr/bin/python3
"""Measures the plugin SIP with a real server and real phones: what it adds to a ring, and the sound of a call.

Of the sound it measures holes, the way from mouth to ear, what loss and jitter make of it, and the time of the
processor beside baresip's. The right column has the limits.
"""

import argparse
import os
import statistics
import sys
import time

CALLS = 60
WARM_UP = 5
SECONDS = 60
"""How long the sound of one call is measured."""
PAUSE = 0.06
"""Between two calls, since an account takes at most 20 a second."""


def row(what, values=None, text="", limit=""):
    if values:
        values = sorted(values)
        text = f"{statistics.median(values):>9.2f}{values[len(values) * 99 // 100]:>9.2f}"
    print(f"{what:<56}{text:<20}{limit}", flush=True)


def make_bench():
    """The bench, as a test: it takes the rig of the tests."""
    class Bench(MeasuredTest):
        def ring(self, caller):
            """One call: from the INVITE until it rings on the bus, in ms, less the time of a request and its answer."""
            uri, _ = self.contact
            round_trip = caller.options(uri)
            rung = []
            self.system.bus.add_message_filter(take := taker(rung))
            dialog = caller.invite(uri)
            wait_until(lambda: rung, "the call does not ring")
            self.system.bus.remove_message_filter(take)
            caller.cancel(dialog)
            caller.wait_final(dialog)
            wait_until(lambda: not self.calls(), "the call stays")
            let_pass(PAUSE)
            return (rung[0] - dialog.began - round_trip) * 1e3

        def talk(self, **options):
            """A call with a far side that measures. Returns both."""
            meter = self.far_side(RtpMeter(**options))
            caller = self.far_side(Caller(self.contact[1]))
            dialog = caller.invite(self.contact[0], meter.port)
            call = self.wait_ringing(self.work)
            self.answer(call).result()
            caller.wait_final(dialog)
            wait_until(lambda: len(meter.arrivals) > 50, "there is no sound", 20, every=0.02)
            return meter, call

        def listen(self, meter, seconds):
            """The first packet of so many seconds, and what the speaker played in them."""
            speaker = self.cards.heard("plugin")
            let_pass(2)
            begin, first = speaker.count(), len(meter.arrivals)
            let_pass(seconds)
            return first, speaker.since(begin)

        def finish(self, call):
            self.end(call).result()
            wait_until(lambda: not self.calls(), "the call stays")

        def processor_times(self, codec):
            """What one second of a call takes of the processor at the plugin and at baresip, in ms."""
            bob = self.far_side(SoundBaresip(
                f"{self.folder}/bob-{codec}", "bob", self.server, password=PASSWORDS["bob"], codecs=(codec,)))
            call = self.call_out(bob, self.work)
            let_pass(2)
            before = [processor_time(pid) for pid in (self.worker, bob.process.pid)]
            let_pass(SECONDS / 3)
            after = [processor_time(pid) for pid in (self.worker, bob.process.pid)]
            shown = str(self.system.shown(call, "Codec"))
            self.finish(call)
            bob.stop()
            return [(end - begin) * 1e3 / (SECONDS / 3) for begin, end in zip(before, after)], shown

    class SoundBaresip(Baresip):
        """With the sound server in place of a tone of its own and a recording, as the plugin has it."""

        def configuration(self, control):
            text = super().configuration(control)
            return text.replace(f"ausine,{self.frequency}", "alsa,pulse").replace("player none", "player alsa,pulse") \
                .replace("module ausine.so", "module alsa.so").replace("module sndfile.so\n", "")

        def spawn(self, *command, environment=None, **options):
            return super().spawn(*command, environment=Bench.cards.environment("linphone"), **options)

    return Bench


def taker(rung):
    def take(_, message):
        if message.get_member() == "InterfacesAdded" and "/calls/" in str(message.get_args_list()[0]):
            rung.append(time.perf_counter())
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
    return take


def measure(bench):
    row("", text=f"{'median':>9}{'p99':>9}", limit="limit")
    caller = bench.far_side(Caller(bench.contact[1]))
    times = [bench.ring(caller) for _ in range(WARM_UP + CALLS)][WARM_UP:]
    row("INVITE to `ringing`, without the way there, ms", times, limit="10")

    meter, call = bench.talk()
    first, played = bench.listen(meter, SECONDS)
    missing, late = meter.packet_gaps(first)
    row(f"packets that are missing in {SECONDS} s", text=f"{missing:>9}", limit="0")
    row("the latest packet, ms late", text=f"{late:>9.1f}", limit="20")
    row("longest hole in the microphone's tone, ms", text=f"{longest_hole(meter.said(first), 8_000):>9}", limit="20")
    row("longest hole in the speaker's tone, ms", text=f"{longest_hole(played.tobytes(), RATE):>9}", limit="20")
    row("the tone's strength over all else, dB",
        text=f"{signal_to_noise(played[-RATE * 5:], meter.frequency, RATE):>9.1f}")
    bench.finish(call)

    meter, call = bench.talk(loss=0.05, jitter=0.03)
    _, played = bench.listen(meter, 10)
    row("  with 5 % loss and 30 ms of jitter, dB", text=f"{signal_to_noise(played, meter.frequency, RATE):>9.1f}",
        limit="10")
    bench.finish(call)

    for codec in ("PCMU", "opus"):
        (ours, theirs), shown = bench.processor_times(codec)
        row(f"processor, ms a second of a call, {shown}", text=f"{ours:>9.2f}")
        row("  baresip", text=f"{theirs:>9.2f}")
        row("  the plugin to baresip", text=f"{ours / theirs:>9.2f}", limit="1.3")

    meter, call = bench.talk(echoes=True)
    out, back = click_delays(bench.cards, meter, count=30)
    row("microphone to the network, ms", out)
    row("network to the speaker, ms", back)
    row("mouth to ear, ms", text=f"{statistics.median(out) + statistics.median(back):>9.2f}", limit="150")
    bench.finish(call)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", metavar="BUILD_FOLDER", help="with callkitd and libSIP.so, release")
    os.environ["OPENCALLKIT_BUILD"] = os.path.abspath(parser.parse_args().build)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "EndToEnd"))
    import dbus.lowlevel

    from sip.callers import Caller
    from sip.measurement import MeasuredTest
    from sip.measures import RtpMeter, click_delays, longest_hole, processor_time, signal_to_noise
    from sip.phones import Baresip
    from sip.sound import RATE
    from sip.case import PASSWORDS
    from support.waiting import let_pass, wait_until
    kind = make_bench()
    kind.setUpClass()
    try:
        subject = kind.make()
        subject.setUp()
        try:
            measure(subject)
        finally:
            subject.tearDown()
    finally:
        kind.tearDownClass()
