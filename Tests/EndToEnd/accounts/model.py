"""What a client knows of an account from the replies that it got, and what it must therefore find later."""

import copy
from dataclasses import dataclass, field


@dataclass
class Known:
    """What is so after the last reply."""

    path: str
    settings: dict
    enabled: bool = False
    secret: bytes = b""
    """b"" = it has none."""
    storage: str = ""
    removed: bool = False


@dataclass
class Follower:
    """An account with at most one request under way, whose outcome may be either of two."""

    known: Known
    wishes: list = field(default_factory=list)
    """What may be so as well: of requests that were answered with an error, or not at all."""
    pending: object = None

    def ask(self, pending, **changes):
        wish = copy.deepcopy(self.known)
        for name, value in changes.items():
            setattr(wish, name, value)
        self.wishes.append(wish)
        self.pending = pending

    def take_reply(self):
        """Takes the reply over, if it came."""
        if self.pending is None or not self.pending.done:
            return
        if self.pending.error is None:
            self.known = self.wishes[-1]
            if self.known.secret and self.known.storage in ("", "?"):
                self.known.storage = str(self.pending.value)
            self.wishes = []
        self.pending = None

    @property
    def possible(self):
        return [self.known, *self.wishes]

    def settle(self, found):
        """What was found counts from now on."""
        self.known, self.wishes, self.pending = found, [], None
