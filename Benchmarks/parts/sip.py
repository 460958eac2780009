"""The plugin SIP with a real server and real phones: what it adds to a ring, and the sound of a call.

Of the sound it measures holes, the way from mouth to ear, what loss and jitter make of it, and the time of the
processor beside baresip's.
"""

import contextlib
import itertools
from statistics import median

from rigs import (PASSWORDS, RATE, Arrivals, Baresip, Caller, MeasuredTest, RtpMeter, click_delays, let_pass,
                  longest_hole, processor_time, signal_to_noise, wait_until)
from rows import TAIL, late

CALLS = 60
WARM_UP = 5
SECONDS = 60
"""How long the sound of one call is measured."""
PAUSE = 0.25
"""Between two calls, since an account takes at most 5 a second that do not come from its server."""


class Bench(MeasuredTest):
    def ring(self, caller, arrivals):
        """One call: from the INVITE until it rings on the bus, less the time of a request and its answer; and that
        time, in ms."""
        uri, _ = self.contact
        round_trip = caller.options(uri)
        arrivals.clear()
        dialog = caller.invite(uri)
        arrivals.wait("InterfacesAdded")
        caller.cancel(dialog)
        caller.wait_final(dialog)
        wait_until(lambda: not self.calls(), "the call stays")
        let_pass(PAUSE)
        return (arrivals["InterfacesAdded"] - dialog.began - round_trip) * 1e3, round_trip * 1e3

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

    def processor_times(self, codec, seconds):
        """What each second of a call takes of the processor at the plugin and at baresip, in ms."""
        bob = self.far_side(SoundBaresip(
            f"{self.folder}/bob-{codec}", "bob", self.server, password=PASSWORDS["bob"], codecs=(codec,)))
        call = self.call_out(bob, self.work)
        let_pass(2)
        seen = []
        for _ in range(seconds + 1):
            seen.append([processor_time(pid) * 1e3 for pid in (self.worker, bob.process.pid)])
            let_pass(1)
        shown = str(self.system.shown(call, "Codec"))
        self.finish(call)
        bob.stop()
        return [[after - before for before, after in itertools.pairwise(times)] for times in zip(*seen)], shown


class SoundBaresip(Baresip):
    """With the sound server in place of a tone of its own and a recording, as the plugin has it."""

    def configuration(self, control):
        text = super().configuration(control)
        return text.replace(f"ausine,{self.frequency}", "alsa,pulse").replace("player none", "player alsa,pulse") \
            .replace("module ausine.so", "module alsa.so").replace("module sndfile.so\n", "")

    def spawn(self, *command, environment=None, **options):
        return super().spawn(*command, environment=Bench.cards.environment("linphone"), **options)


def measure(part):
    Bench.setUpClass()
    with contextlib.ExitStack() as stack:
        stack.callback(Bench.tearDownClass)
        bench = Bench.make()
        bench.setUp()
        stack.callback(bench.tearDown)
        for measure_one in (measure_ring, measure_sound, measure_bad_network, measure_processor, measure_way):
            measure_one(part, bench)


def measure_ring(part, bench):
    caller, arrivals = bench.far_side(Caller(bench.contact[1])), Arrivals(bench.system.bus)
    times, trips = zip(*[bench.ring(caller, arrivals) for _ in range(WARM_UP + part.times(CALLS))][WARM_UP:])
    part.compared("INVITE to `ringing`, without the way there", list(times), trips, "an OPTIONS and its answer", "ms",
                  30)
    part.row("  p99", late(times), "ms", reason=TAIL)


def measure_sound(part, bench):
    """What people hear, and so in the same times on any machine."""
    meter, call = bench.talk()
    first, played = bench.listen(meter, part.times(SECONDS))
    missing, latest = meter.packet_gaps(first)
    part.row("packets that are missing", missing, "", 0)
    part.row("the latest packet is late by", latest, "ms", 20)
    part.row("longest hole in the microphone's tone", longest_hole(meter.said(first), 8_000), "ms", 20)
    part.row("longest hole in the speaker's tone", longest_hole(played.tobytes(), RATE), "ms", 20)
    part.row("what is not the tone", noise(played[-RATE * 5:], meter), "%", 32)
    bench.finish(call)


def measure_bad_network(part, bench):
    meter, call = bench.talk(loss=0.05, jitter=0.03)
    _, played = bench.listen(meter, 10)
    part.row("  with 5 % loss and 30 ms of jitter", noise(played, meter), "%", 32)
    bench.finish(call)


def noise(played, meter):
    """Per cent of the tone's strength that everything else has."""
    return 100 / 10 ** (signal_to_noise(played, meter.frequency, RATE) / 20)


def measure_processor(part, bench):
    for codec in ("PCMU", "opus"):
        (ours, theirs), shown = bench.processor_times(codec, part.times(SECONDS // 3))
        part.compared(f"a second of a call, {shown}", ours, theirs, f"baresip, {shown}", "ms", 1.3)


def measure_way(part, bench):
    meter, call = bench.talk(echoes=True)
    out, back = click_delays(bench.cards, meter, count=30)
    part.row("microphone to the network", out, "ms", reason="It is a part of the way from mouth to ear.")
    part.row("network to the speaker", back, "ms", reason="It is a part of the way from mouth to ear.")
    part.row("mouth to ear", median(out) + median(back), "ms", 150)
    bench.finish(call)
