"""CXCallObserver against the real daemon: every call of every provider, without the caller's identity."""

import re
import uuid

from support.messages import variants
from support.provider import Provider
from support.surface import SurfaceTest
from support.waiting import wait_until


def holds(pid, text):
    """True if a text is anywhere in the writable memory of a process: its heap, its stacks, its data."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for start, end in re.findall(r"^(\w+)-(\w+) rw", maps.read(), re.MULTILINE):
            memory.seek(int(start, 16))
            try:
                found = text.encode() in memory.read(int(end, 16) - int(start, 16))
            except OSError:
                continue
            if found:
                return True
    return False


class Observing:
    def changes(self, call, *states):
        """The lines about a call, once these states were seen in order."""
        identity = self.id_of(call)
        lines = self.heard(*[f"changed {identity} incoming {state}" for state in states])
        return [line for line in lines if line.startswith(f"changed {identity}")]

    def test_every_change_of_a_stranger_s_call_is_seen_once(self):
        provider = Provider(self.system, "Stranger")
        self.press("observe")
        call = provider.incoming()
        self.answer(call).result()
        self.hold(call).result()
        self.end(call).result()
        lines = self.changes(call, "ringing", "answering", "active", "holding", "held", "ending", "ended")
        identity = self.id_of(call)
        self.assertEqual([line.removeprefix(f"changed {identity} incoming ") for line in lines], [
            "ringing", "answering", "active connected", "holding connected",
            "held held connected", "ending held connected", "ended connected ended"])

    def test_a_call_that_ends_in_its_first_moment_is_seen(self):
        provider = Provider(self.system, "Stranger")
        self.press("observe")
        self.press("calls")
        call_id = str(uuid.uuid4())
        reports = [provider.report_incoming(call_id), provider.report("ReportCallEnded", "stsa{sv}", call_id, 0, "remote-ended", variants({}))]
        for report in reports:
            report.result()
        lines = self.heard(f"changed {call_id} incoming ended")
        self.assertEqual(lines.count(f"changed {call_id} incoming ended ended"), 1, lines)
        self.assertEqual(self.press("calls")["calls"], [])

    def test_what_does_not_show_in_a_call_is_no_change(self):
        provider = Provider(self.system, "Stranger")
        self.press("observe")
        call = provider.active()
        self.changes(call, "active")
        self.forget()
        self.mute(call).result()
        self.end(call).result()
        self.assertEqual([line.split()[3] for line in self.changes(call, "ended")], ["ending", "ended"])

    def test_calls_that_were_there_before_are_known(self):
        provider = Provider(self.system, "Stranger")
        held = provider.active()
        self.hold(held).result()
        ringing = provider.incoming()
        lines = [str(line) for line in self.press("calls")["calls"]]
        self.assertEqual(lines, [f"{self.id_of(held)} incoming held held connected",
                                 f"{self.id_of(ringing)} incoming ringing"])
        self.press("observe")
        self.end(held).result()
        self.changes(held, "ended")
        self.assertEqual(len(self.press("calls")["calls"]), 1)

    def test_a_call_is_there_when_its_completion_handler_runs(self):
        self.assertEqual(self.press("calls", see=25), {})

    def test_the_main_queue_does_not_wait(self):
        Provider(self.system, "Stranger").incoming()
        # The answer may come between the two steps of one attempt; an observer that waits never sees none.
        wait_until(lambda: self.press("calls-on-main")["calls"] == 0, "a new observer on the main queue never sees none")

    def test_who_does_not_observe_is_told_nothing(self):
        provider = Provider(self.system, "Stranger")
        self.press("observe")
        self.press("unobserve")
        call = provider.incoming()
        self.end(call).result()
        self.press("calls")
        self.assertEqual([line for line in self.log() if line.startswith("changed")], [])

    def test_the_calls_of_a_dead_provider_end(self):
        provider = Provider(self.system, "Stranger")
        call = provider.active()
        self.press("observe")
        wait_until(lambda: self.press("calls")["calls"], "the call is not seen")
        provider.vanish()
        self.changes(call, "ended")


class ObservingInPlugin(Observing, SurfaceTest):
    def test_who_calls_somebody_else_does_not_reach_a_plugin(self):
        provider = Provider(self.system, "Stranger")
        self.press("observe")
        handle, name = uuid.uuid4().hex, uuid.uuid4().hex
        call = provider.incoming(handle=("generic", handle), localized_caller_name=name)
        self.answer(call).result()
        self.changes(call, "ringing", "active")
        worker = int(self.told_of("Surface", "Pid"))
        self.assertTrue(holds(worker, self.id_of(call)), "the call is known there")
        self.assertFalse(holds(worker, handle))
        self.assertFalse(holds(worker, name))


class ObservingInApp(Observing, SurfaceTest):
    in_app = True

    def test_the_calls_of_a_lost_daemon_end(self):
        provider = Provider(self.system, "Stranger")
        call = provider.active()
        self.press("observe")
        wait_until(lambda: self.press("calls")["calls"], "the call is not seen")
        self.system.daemon.kill()
        self.system.daemon.wait()
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.system.objects.clear()
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.system.wait_ready("app_Surface")
        self.changes(call, "ended")
        self.assertEqual(self.press("calls")["calls"], [])
