"""The programs in Examples/ and in the README against a real daemon, in Python and in GJS."""

import os
import re
import subprocess

import dbus
from gi.repository import GLib

from support.case import SystemTest
from support.provider import Provider
from support.system import IDENTITY, REPOSITORY, ROOT
from support.waiting import exited, let_pass, wait_until

LANGUAGES = {"py": ["/usr/bin/python3"], "js": ["gjs", "-m"]}


def assert_idle(process):
    """Asserts that a program waits without using the processor. One that asks again and again would use all of it."""
    def ticks():
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    def used():
        before = ticks()
        let_pass(0.5)
        return (ticks() - before) / os.sysconf("SC_CLK_TCK")
    # It may have something left to do at first, but then it rests.
    wait_until(lambda: used() < 0.1, "it does not rest")
    seconds = used()
    assert seconds < 0.1, f"it used the processor for {seconds} s of 0.5 s"


class Program:
    """One of the examples, running on the test's bus."""

    def __init__(self, test, name, language, *arguments):
        path = os.path.join(REPOSITORY, "Examples", f"{name}.{language}")
        self.process = subprocess.Popen(
            [*LANGUAGES[language], path, *arguments], env={**test.system.environment, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.close)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def end(self):
        """Waits for its end; returns its exit status, its output and its errors."""
        exited(self.process)
        output, errors = self.process.communicate()
        return self.process.returncode, output.splitlines(), errors


class Examples(SystemTest):
    """Alpha takes generic handles, Beta e-mail addresses; no provider takes telephone numbers."""

    def setUp(self):
        super().setUp()
        self.alpha = Provider(self.system, "Alpha")
        self.beta = Provider(self.system, "Beta", supported_handle_types=dbus.Array(["email-address"], signature="s"))

    def test_a_call_is_made_followed_and_ended(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                status, output, errors = Program(self, "call", language, "generic:somebody", "0").end()
                self.assertEqual((status, errors), (0, ""))
                self.assertEqual(output[-4:], ["active", "ending", "ended", "over: local-ended, by user"])

    def test_a_call_that_the_far_side_ends(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                program = Program(self, "call", language, "generic:somebody", "1000")
                start = self.alpha.wait_action("start")
                call = f"{ROOT}/calls/{start.uuid.replace('-', '_')}"
                self.wait_state(call, "active")
                self.alpha.remote_end(call).result()
                self.assertEqual(program.end()[::2], (0, ""))
                self.alpha.forget()

    def test_a_call_that_nobody_takes(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                status, output, errors = Program(self, "call", language, "tel:+15550100").end()
                self.assertEqual((status, output), (1, []))
                self.assertIn("org.opencallkit.Error.UnknownProvider: ", errors)

    def test_answering_holds_what_is_active(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                active = self.beta.active()
                program = Program(self, "answer", language)
                call = self.alpha.report_incoming(localized_caller_name="Alice").result()
                self.wait_state(call, "active")
                self.assertEqual((self.property(active, "State"), self.property(active, "HeldBy")), ("held", "arbiter"))
                self.alpha.remote_end(call).result()
                self.assertEqual(
                    program.end(), (0, ["Alice is calling", "answered", "over: remote-ended, by remote"], ""))
                self.end(active).result()

    def test_answering_what_rings_already_and_ending_what_is_active(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                active = self.beta.active()
                call = self.alpha.incoming()
                program = Program(self, "answer", language, "--end")
                self.wait_state(call, "active")
                self.assertEnded(active, "local-ended", "user")
                self.end(call).result()
                self.assertEqual(
                    program.end(), (0, ["somebody is calling", "answered", "over: local-ended, by user"], ""))

    def test_the_smallest_controller(self):
        gamma = Provider(self.system, "Gamma", supported_handle_types=dbus.Array(["phone-number"], signature="s"))
        with open(os.path.join(REPOSITORY, "README.md"), encoding="utf-8") as file:
            code, = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        output = self.system.run(*LANGUAGES["py"], "-c", code)
        self.assertEqual((output.status, output.text, output.errors), (0, "", ""))
        gamma.sync()
        self.assertEqual(gamma.kinds(), ["start", "end"])


class DesktopInPython(SystemTest):
    """The program in the article on showing calls, as it is printed there."""

    ARTICLE = "Sources/SDK/OpenCallKit/OpenCallKit.docc/ShowCallsOnTheDesktop.md"

    def setUp(self):
        super().setUp()
        with open(os.path.join(REPOSITORY, self.ARTICLE), encoding="utf-8") as file:
            code, = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        self.provider = Provider(self.system)
        self.process = subprocess.Popen(
            [*LANGUAGES["py"], "-c", code], env=self.system.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.text = ""
        self.source = GLib.io_add_watch(
            self.process.stdout.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self.read)
        self.addCleanup(self.close)
        self.wait_said("shows calls")

    def read(self, descriptor, condition):
        chunk = os.read(descriptor, 65536).decode() if condition & GLib.IOCondition.IN else ""
        self.text += chunk
        return bool(chunk)

    def close(self):
        GLib.source_remove(self.source)
        self.process.kill()
        self.process.communicate()

    def wait_said(self, line):
        wait_until(lambda: line in self.text.splitlines(), lambda: f"it did not say {line!r}: {self.text}")

    def press(self, button):
        self.process.stdin.write(button + "\n")
        self.process.stdin.flush()

    def test_it_shows_who_rings_and_presses_buttons(self):
        ada = self.provider.incoming(localized_caller_name="Ada")
        self.wait_said("Ada: ringing answer decline")
        self.press("answer")
        self.wait_state(ada, "active")
        self.wait_said("Ada: active")
        eve = self.provider.incoming(localized_caller_name="Eve")
        self.wait_said("Eve: ringing hold-and-answer end-and-answer decline")
        self.press("hold-and-answer")
        self.wait_state(eve, "active")
        self.provider.remote_end(eve).result()
        self.wait_said("Ada: resume?")

    def test_it_says_what_a_button_cannot_do_and_goes_on(self):
        self.press("answer")
        self.wait_said("no call rings")
        ada = self.provider.incoming(localized_caller_name="Ada")
        self.wait_said("Ada: ringing answer decline")
        self.press("nonsense")
        self.wait_said("no such button: nonsense")
        self.press("decline")
        self.wait_said("Ada: ended")
        self.press("answer")
        wait_until(lambda: self.text.count("no call rings") == 2, lambda: f"it still pressed a button: {self.text}")
        self.provider.incoming(localized_caller_name="Eve")
        self.wait_said("Eve: ringing answer decline")
        self.assertEqual(self.system.shown(ada, "EndReason"), "declined")

    def test_it_presses_each_of_several_buttons_at_once_and_ends_its_input(self):
        self.provider.incoming(localized_caller_name="Ada")
        self.wait_said("Ada: ringing answer decline")
        self.press("nonsense\ndecline\nquiet")
        self.process.stdin.close()
        self.process.stdin = None
        self.wait_said("no such button: nonsense")
        self.wait_said("Ada: ended")
        wait_until(lambda: self.system.shown(ROOT, "QuietSources") == ["org.example.desktop"], "it is not quiet")
        self.assertEqual(self.text.count("no such button"), 1, self.text)
        assert_idle(self.process)

    def test_it_passes_on_do_not_disturb(self):
        self.press("quiet")
        wait_until(lambda: self.system.shown(ROOT, "QuietSources") == ["org.example.desktop"], "it is not quiet")
        self.assertRefused(self.provider.report_incoming(localized_caller_name="Ada"), "FilteredByDoNotDisturb")
        self.press("loud")
        wait_until(lambda: self.system.shown(ROOT, "QuietSources") == [], "it is still quiet")
        self.provider.incoming(localized_caller_name="Eve")
        self.wait_said("Eve: ringing answer decline")
        self.assertNotIn("Ada", self.text)


class AnyLanguage(SystemTest):
    """The provider in the article on providers in any language, as it is printed there."""

    ARTICLE = "Sources/SDK/OpenCallKit/OpenCallKit.docc/ProviderInAnyLanguage.md"

    def setUp(self):
        super().setUp()
        with open(os.path.join(REPOSITORY, self.ARTICLE), encoding="utf-8") as file:
            code, = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        self.process = subprocess.Popen(
            [*LANGUAGES["py"], "-c", code], env=self.system.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.close)
        self.provider = f"{ROOT}/providers/app_Example"
        wait_until(lambda: self.provider in self.system.objects, "the provider does not register")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def test_calls_are_made_held_and_ended(self):
        call = self.start_call("generic:ada").result()
        self.wait_state(call, "active")
        self.hold(call).result()
        self.assertState(call, "held")
        self.resume(call).result()
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")
        lines = [self.process.stdout.readline().strip() for _ in range(5)]
        self.assertEqual([line for line in lines if line], ["start generic ada", "set-held", "set-held", "end"])

    def test_a_line_is_a_call_that_holds_another_when_it_is_answered(self):
        other = Provider(self.system, "Other").active()
        self.process.stdin.write("grace\n")
        self.process.stdin.flush()
        call = wait_until(lambda: next((path for path, shown in self.system.objects.items()
                                        if shown.get("Provider") == self.provider), None), "nothing rings")
        self.wait_state(call, "ringing")
        self.assertEqual(self.property(call, "Handle", IDENTITY), ("generic", "grace"))
        self.answer(call).result()
        self.assertEqual((self.property(call, "State"), self.property(other, "HeldBy")), ("active", "arbiter"))
        self.process.kill()
        self.assertEnded(call, "provider-crashed", "provider")

    def test_each_line_is_a_call_and_the_end_of_the_input_is_none(self):
        self.process.stdin.write("grace\nhopper\n")
        self.process.stdin.close()
        self.process.stdin = None
        calls = lambda: [path for path, shown in self.system.objects.items() if shown.get("Provider") == self.provider]
        wait_until(lambda: len(calls()) >= 2, "not both ring")
        # It is still there, and reports nothing more before it performs a start.
        started = self.start_call("generic:ada").result()
        self.assertEqual({tuple(self.property(call, "Handle", IDENTITY))[1] for call in calls()},
                         {"grace", "hopper", "ada"})
        self.end(started).result()
        assert_idle(self.process)
