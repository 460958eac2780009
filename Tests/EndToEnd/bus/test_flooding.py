"""Floods: while a stranger sends as fast as the bus takes it, everybody else's calls go on.

OPENCALLKIT_TORTURE=1 floods ten seconds each and measures; `make torture` does it with a release build. Otherwise each
flood lasts one second, and only what must never happen is looked at.
"""

from support.floods import FloodTest
from support.provider import Provider


class Flooding(FloodTest):
    def test_mutes_of_a_strangers_silent_call(self):
        self.flood("mutes", self.silent().active())

    def test_answers_of_a_strangers_silent_calls(self):
        silent = self.silent()
        silent.behaviour["answer"] = "wait"
        self.flood("answers", silent.incoming())

    def silent(self):
        """A stranger's provider, which never answers."""
        provider = Provider(self.system, "Silent")
        provider.behaviour["set-muted"] = "wait"
        return provider


def flooding(kind):
    return lambda self: self.flood(kind)


for KIND in ("get-all", "start", "simulate", "set", "settings", "errors", "objects", "objects-unread", "large", "nested", "descriptors"):
    setattr(Flooding, f"test_{KIND.replace('-', '_')}", flooding(KIND))
