"""Parts are killed at random moments of random changes of accounts (OPENCALLKIT_KILLS times): what was acknowledged stays.

The parts are the daemon, callkit-secrets, the worker and the keyring. A change is acknowledged once its reply has come. After
each kill every account must be there once, as acknowledged or as the request under way wanted it, with its secrets; nothing
may be left of the secrets of an account that was removed.
"""

import contextlib
import dataclasses
import os
import random
import signal

import dbus
from gi.repository import GLib

from accounts.case import ACCOUNT1, ACCOUNTS, ACCOUNTS1, AccountsTest
from accounts.model import Follower, Known
from accounts.secret_service import secrets_in_keyring
from support.messages import variants
from support.store import children, program
from support.system import PROPERTIES, ROOT
from support.waiting import wait_gone, wait_until

KILLS = int(os.environ.get("OPENCALLKIT_KILLS", "25"))
SEED = int(os.environ.get("OPENCALLKIT_SEED") or 1)
MOST = 8
"""The most accounts at a time."""
REFUSED_PIN = b"0000"


class KilledAccounts(AccountsTest):
    def setUp(self):
        self.random = random.Random(SEED)
        super().setUp()
        self.start_keyring()
        self.followers = []
        self.adding = []
        """The names of accounts under way."""
        self.zoo = 0
        self.acknowledged = 0
        self.killed = {}

    def test_no_acknowledged_change_is_lost(self):
        print(f"kills: {KILLS} of them, seed {SEED}", flush=True)
        for number in range(KILLS):
            self.number = number
            self.change_accounts()
            victims = self.choose_victims()
            self.kill(victims)
            self.memory_is_lost = bool({"callkitd", "callkit-secrets"}.intersection(victims))
            try:
                self.check("callkitd" in victims)
            except AssertionError as error:
                raise AssertionError(f"kill {number} of {victims}, seed {SEED}: {error}") from error
        print(f"kills: {self.killed}, {self.acknowledged} changes acknowledged, {len(self.followers)} accounts")
        self.assertGreater(self.acknowledged, KILLS)

    # Changes

    def change_accounts(self):
        """Requests are made, one at a time of each account, until the moment of the kill has come."""
        self.moment = False
        GLib.timeout_add(self.random.randint(5, 250), self.end_changes)

        def step():
            if self.moment:
                return False
            self.take_replies()
            idle = [follower for follower in self.followers if follower.pending is None]
            if len(self.followers) + len(self.adding) < MOST and (not idle or self.random.random() < 0.15):
                self.begin_adding()
            elif idle:
                self.change(self.random.choice(idle))
            return True
        GLib.timeout_add(self.random.randint(1, 8), step)
        wait_until(lambda: self.moment, "time stands still")
        self.take_replies()

    def end_changes(self):
        self.moment = True
        return False

    def begin_adding(self):
        self.zoo += 1
        settings = {"zoo": f"Zoo {self.zoo}", "monkeys": dbus.UInt32(self.random.randint(1, 100))}
        pending = self.system.call(ACCOUNTS, ACCOUNTS1, "Add", "sa{sv}", "MonkeyCall", variants(settings))
        self.adding.append((settings, pending))

    def change(self, follower):
        path, known = follower.known.path, follower.known
        match self.random.choices(("update", "secret", "clear", "enable", "remove"), (4, 6, 1, 3, 1))[0]:
            case "update":
                settings = dict(known.settings)
                settings["monkeys"] = dbus.UInt32(self.random.randint(1, 100))
                settings.pop("label", None)
                if self.random.random() < 0.5:
                    settings["label"] = f"Label {self.random.randint(0, 99)}"
                unset = [] if "label" in settings else ["label"]
                follower.ask(self.update(path, *unset, **settings), settings=settings)
            case "secret":
                secret = REFUSED_PIN if self.random.random() < 0.2 else b"%04d" % self.random.randint(1, 9999)
                storage = self.random.choice(("keyring", "keyring", "file", "memory", ""))
                options = {"storage": storage} if storage else {}
                follower.ask(self.set_secret(path, secret, **options), secret=secret, storage=storage or "?")
            case "clear":
                follower.ask(self.account_call(path, "ClearSecret", "s", "pin"), secret=b"", storage="")
            case "enable":
                pending = self.system.call(path, PROPERTIES, "Set", "ssv", ACCOUNT1, "Enabled", not known.enabled)
                follower.ask(pending, enabled=not known.enabled)
            case "remove":
                follower.ask(self.account_call(path, "Remove"), removed=True)

    def take_replies(self):
        for follower in self.followers:
            if follower.pending is not None and follower.pending.done:
                self.acknowledged += follower.pending.error is None
                follower.take_reply()
        self.followers = [follower for follower in self.followers if not follower.known.removed]
        for settings, pending in list(self.adding):
            if pending.done and pending.error is None:
                self.acknowledged += 1
                self.adding.remove((settings, pending))
                self.followers.append(Follower(Known(str(pending.value), settings)))

    # Kills

    def choose_victims(self):
        victims = self.random.choices(
            (["callkitd"], ["callkit-secrets"], ["callkit-worker"], ["keyring"], ["callkitd", "callkit-secrets", "keyring"]),
            (8, 4, 2, 4, 2))[0]
        for victim in victims:
            self.killed[victim] = self.killed.get(victim, 0) + 1
        return victims

    def pid_of(self, name):
        if name == "callkit-worker":
            return int(self.system.get(f"{ROOT}/plugins/MonkeyCall", "org.opencallkit.Plugin1", "Pid"))
        return next((pid for pid in children(self.pid) if program(pid) == name), 0)

    def kill(self, victims):
        self.restart_keyring_if_it_has_ended()
        with contextlib.ExitStack() as later:
            if "keyring" in victims:
                self.end_keyring()
                later.callback(self.start_keyring)
            for name in ("callkit-secrets", "callkit-worker"):
                pid = self.pid_of(name) if name in victims or "callkitd" in victims else 0
                if pid and name in victims:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    if "callkitd" not in victims:
                        # Until the daemon has noticed, it shows what was in the memory.
                        wait_until(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), f"{name} is not reaped", every=0.005)
                elif pid:
                    later.callback(wait_gone, pid, name)
            if "callkitd" in victims:
                self.system.daemon.kill()
                self.system.daemon.wait()
        self.take_replies()
        if "callkitd" in victims:
            self.system.forget_connections()
            wait_until(lambda: not self.system.owner, "the name is still owned")
            self.system.start_daemon()
            self.pid = self.system.daemon.pid
        else:
            pending = [follower.pending for follower in self.followers if follower.pending is not None]
            for one in pending + [pending for _, pending in self.adding]:
                one.wait()
            self.take_replies()

    # Checks

    def restart_keyring_if_it_has_ended(self):
        """gnome-keyring may abort when a prompt is dismissed."""
        if self.keyring.poll() is not None:
            print(f"kills: the keyring ended by itself, with status {self.keyring.returncode}")
            self.start_keyring()

    def check(self, is_new_daemon):
        self.restart_keyring_if_it_has_ended()
        seen = {str(path): interfaces[ACCOUNT1] for path, interfaces in self.system.managed().items()
                if ACCOUNT1 in interfaces}
        followers, self.followers = self.followers, []
        for follower in followers:
            self.check_account(follower, seen.pop(follower.known.path, None))
        for path in seen:
            self.check_new(path)
        self.adding = []
        names = [str(follower.known.settings["zoo"]) for follower in self.followers]
        self.assertEqual(len(names), len(set(names)), "an account is there twice")
        for follower in self.followers:
            self.check_secret(follower)
        wait_until(lambda: not self.leftovers(), self.leftovers, every=0.1)
        if is_new_daemon:
            self.check_states()

    def check_account(self, follower, shown):
        possible = follower.possible
        if shown is None:
            self.assertTrue(any(one.removed for one in possible), f"an account is lost: {possible}")
            return
        path = follower.known.path
        settings = dict(self.account(path, "Settings"))
        fitting = [one for one in possible if not one.removed and one.settings == settings and one.enabled == shown["Enabled"]]
        self.assertTrue(fitting, f"{settings}, enabled {shown['Enabled']}, expected one of {possible}")
        follower.fitting = fitting
        self.followers.append(follower)

    def check_new(self, path):
        """An account that was being added."""
        settings = dict(self.account(path, "Settings"))
        self.assertIn(settings, [wanted for wanted, _ in self.adding], "an account that nobody wanted, or that was removed")
        follower = Follower(Known(path, settings))
        follower.fitting = [follower.known]
        self.followers.append(follower)

    def check_secret(self, follower):
        """The secret is that of the last reply, or of the request under way; what was in memory may be lost."""
        told = []

        def found():
            values = self.system.get_all(follower.known.path, ACCOUNT1)
            present, storage = bool(values["SecretsPresent"]), str(values["SecretStorage"])
            told[:] = [f"{present} in {storage!r} is {self.stored(follower.known.path, storage)}"]
            return next(filter(None, (self.fits(wanted, present, storage) for wanted in follower.fitting)), None)
        follower.settle(wait_until(found, lambda: f"{told}, expected one of {follower.fitting}", every=0.05))

    def fits(self, wanted, present, storage):
        """What is there, if it is what was wanted; None otherwise."""
        if not present:
            is_lost = wanted.storage in ("memory", "?") and self.memory_is_lost
            return dataclasses.replace(wanted, secret=b"", storage="") if is_lost or not wanted.secret else None
        if not wanted.secret:
            if self.stored(wanted.path, storage) is None and storage != "memory":
                # It was being removed, and is told until that is noticed or done again.
                self.account_call(wanted.path, "ClearSecret", "s", "pin").result()
            return None
        if storage != wanted.storage and wanted.storage != "?":
            return None
        if storage != "memory" and self.stored(wanted.path, storage) != wanted.secret:
            return None
        return dataclasses.replace(wanted, storage=storage)

    def stored(self, path, storage):
        """The secret in a storage; None if it is not there, or cannot be seen."""
        account = path.rsplit("/", 1)[1].replace("_", "-")
        match storage:
            case "keyring":
                return secrets_in_keyring(self.system).get((account, "pin"))
            case "file":
                with contextlib.suppress(FileNotFoundError), open(f"{self.secret_folder}/{account}.pin", "rb") as file:
                    return file.read()
        return None

    @property
    def secret_folder(self):
        return f"{self.system.folder.name}/.local/state/opencallkit/secrets"

    def leftovers(self):
        """Secrets that are where no account has them."""
        homes = {(one.known.path.rsplit("/", 1)[1].replace("_", "-"), one.known.storage) for one in self.followers}
        files = os.listdir(self.secret_folder) if os.path.isdir(self.secret_folder) else []
        found = [(account, "keyring") for account, _ in secrets_in_keyring(self.system)]
        found += [(name.split(".")[0], "file") for name in files]
        return [one for one in found if one not in homes]

    def check_states(self):
        """The plugin has what is enabled and complete, with the right secret."""
        for follower in self.followers:
            known = follower.known
            expected = "disabled" if not known.enabled else "needs-secret" if not known.secret else (
                "failed" if known.secret == REFUSED_PIN else "ready")
            self.wait_account(known.path, expected)
