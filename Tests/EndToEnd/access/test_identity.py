"""Who a client is: whatever a process, its root folder or the bus does, a stranger is never taken for the user."""

import os
import signal
import socket
import subprocess
import sys

from access.app import APP, bwrap, flatpak_info, start
from access.relay import ERROR_NAME, Answer, ScriptedBus, own
from support import raw_bus
from support.case import SystemTest
from support.contract import END_TO_END
from support.provider import Provider
from support.system import BUILD, CALL, IDENTITY, NAME, PROPERTIES
from support.waiting import PATIENCE, exited, let_pass, wait_until

HANDLE = ("generic", "somebody")


class ScriptedTest(SystemTest):
    """The daemon is on a scripted bus."""

    arguments = ("--log-level", "info")

    def setUp(self):
        super().setUp()
        # The daemon starts once more, on the relay.
        self.system.daemon.terminate()
        exited(self.system.daemon)
        wait_until(lambda: not self.system.owner, "the name is still owned")
        self.scripted = ScriptedBus(f"{self.system.folder.name}/scripted", self.system.socket)
        self.addCleanup(self.scripted.close)
        self.system.arguments += ["--address", f"unix:path={self.system.folder.name}/scripted"]
        self.system.start_daemon()
        self.pid = self.system.daemon.pid
        self.scripted.name = str(self.system.bus.get_name_owner(NAME))
        self.provider = Provider(self.system)
        self.call = self.provider.incoming(handle=HANDLE)

    def tearDown(self):
        self.system.undocumented = []
        super().tearDown()

    def client(self, answer):
        """A new connection, of which the bus says this."""
        connection = self.system.connect()
        self.scripted.answers[connection.get_unique_name()] = answer
        return connection

    def read(self, client):
        return self.system.call(self.call, PROPERTIES, "Get", "ss", IDENTITY, "Handle", connection=client)

    def assertUser(self, answer):
        self.assertEqual(self.read(self.client(answer)).result(), HANDLE)

    def assertUnknown(self, answer, reason, seconds=PATIENCE):
        client = self.client(answer)
        pending = self.read(client).wait(seconds)
        self.assertEqual(pending.error_name, "org.opencallkit.Error.AccessDenied", pending.error_text)
        self.assertIn("unknown app", pending.error_text)
        self.assertIn(f"is not allowed to read CallIdentity1.Handle: {reason}", pending.error_text)
        self.assertIn("nothing can be granted to it", pending.error_text)
        # It observes all the same.
        state = self.system.call(self.call, PROPERTIES, "Get", "ss", CALL, "State", connection=client)
        self.assertEqual(state.result(), "ringing")

    def assertApp(self, answer, app):
        pending = self.read(self.client(answer)).wait()
        self.assertEqual(pending.error_text, f"{app} is not allowed to read CallIdentity1.Handle; to allow it: callctl access "
                         f"grant {app} identity")


class Words(ScriptedTest):
    """What the bus says."""

    def test_the_users_own_program(self):
        self.assertUser(own())
        self.assertUser(own(LinuxSecurityLabel=b"unconfined\0"))
        self.assertUser(own(LinuxSecurityLabel=b"snap.phone.app (complain)\0"))

    def test_errors_and_answers_that_are_none(self):
        self.assertUnknown(Answer(error=ERROR_NAME), "the bus does not tell who it is: the script refuses")
        self.assertUnknown(Answer(error="org.freedesktop.DBus.Error.UnknownMethod"), "the bus does not tell who it is")
        self.assertUnknown(Answer(body=b"", signature=""), "the bus does not tell who it is")
        self.assertUnknown(Answer(body=raw_bus.string("root"), signature="s"), "the bus does not tell who it is")
        self.assertUnknown(Answer(), "the bus does not know its process")
        self.assertUnknown(Answer(UnixUserID=os.geteuid()), "the bus does not know its process")
        self.assertUnknown(Answer(ProcessID=os.getpid()), "the bus does not know its process")
        self.assertUnknown(own(ProcessID="1"), "the bus does not know its process")
        self.assertUnknown(own(UnixUserID="0"), "the bus does not know its process")

    def test_processes_that_are_none(self):
        for process in (0, 2**31, 2**32 - 1, 2**22 + 1):
            self.assertUnknown(own(ProcessID=process), "its process cannot be observed: pidfd_open")
        with subprocess.Popen(["true"]) as gone:
            exited(gone)
        self.assertUnknown(own(ProcessID=gone.pid), "its process cannot be observed: pidfd_open")

    def test_a_dead_process_that_nobody_has_buried(self):
        with subprocess.Popen(["true"]) as zombie:
            os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
            self.assertUnknown(own(ProcessID=zombie.pid), "its process")

    def test_another_users_process(self):
        self.assertUnknown(own(UnixUserID=4711), "its process has become another user's")

    def test_labels_of_snaps(self):
        self.assertApp(own(LinuxSecurityLabel=b"snap.phone.app (enforce)\0"), "snap.phone")
        self.assertApp(own(LinuxSecurityLabel=b"snap.phone.app"), "snap.phone")
        self.assertUser(own(LinuxSecurityLabel=b"snap.\0\xff\xfe" * 100))

    def test_a_late_answer_keeps_the_order_and_keeps_nobody_waiting(self):
        answer = own().held()
        client = self.client(answer)
        pending = [self.system.call(self.call, PROPERTIES, "Get", "ss", CALL, member, connection=client)
                   for member in ("State", "Direction", "Id")]
        wait_until(answer.asked.is_set, "nobody asks", every=0.01)
        for _ in range(20):
            self.system.sync()
        self.assertFalse(any(one.done for one in pending))
        answer.ready.set()
        self.assertEqual([str(one.result()) for one in pending][:2], ["ringing", "incoming"])
        self.assertEqual(self.scripted.asked.count(client.get_unique_name()), 1)

    def test_no_answer_makes_a_stranger(self):
        # Seconds in which the machine stands still do not count.
        self.assertUnknown(Answer(drop=True), "the bus does not tell who it is: no answer within 5000 ms", seconds=9)

    def test_an_answer_that_comes_too_late_changes_nothing(self):
        answer = own().held()
        client = self.client(answer)
        self.assertEqual(self.read(client).wait().error_name, "org.opencallkit.Error.AccessDenied")
        answer.ready.set()
        self.system.sync()
        self.assertEqual(self.read(client).wait().error_name, "org.opencallkit.Error.AccessDenied")

    def test_a_process_that_has_the_id_of_one_that_has_gone(self):
        """The id is of a process that was started after the call had arrived."""
        answer = Answer().held()
        client = self.client(answer)
        pending = self.read(client)
        wait_until(answer.asked.is_set, "nobody asks", every=0.01)
        # The kernel counts time in hundredths of a second.
        let_pass(0.05)
        with subprocess.Popen(["sleep", "1000"]) as later:
            answer.body = own(ProcessID=later.pid).body
            answer.ready.set()
            pending.wait()
            later.kill()
        self.assertEqual(pending.error_name, "org.opencallkit.Error.AccessDenied", pending.value)
        self.assertIn("its process has ended, and another one has its id", pending.error_text)

    def test_many_clients_at_once(self):
        clients = [self.client(own().held()) for _ in range(100)]
        pending = [self.read(client) for client in clients]
        wait_until(lambda: len(self.scripted.asked) >= 100, "not all are asked for", every=0.01)
        self.system.sync()
        for client in clients:
            self.scripted.answers[client.get_unique_name()].ready.set()
        for one in pending:
            self.assertEqual(one.result(), HANDLE)

    def test_a_client_that_leaves_while_it_is_asked_for(self):
        for _ in range(50):
            answer = own().held()
            client = raw_bus.RawConnection(self.system.socket)
            self.scripted.answers[client.name] = answer
            client.send(raw_bus.method_call(5, NAME, self.call, CALL, "End"))
            wait_until(answer.asked.is_set, "nobody asks", every=0.01)
            client.close()
            answer.ready.set()
        self.assertUser(own())


class Roots(ScriptedTest):
    """What the root folder of a process has."""

    def process(self, info=None, *options, **values):
        command, descriptors = bwrap(info, *options, **values)
        process = start([*command, "sh", "-c", "echo ready; exec sleep 1000"], descriptors, stdout=subprocess.PIPE)
        with process.stdout:
            self.assertEqual(process.stdout.readline(), b"ready\n")
        self.addCleanup(exited, process)
        self.addCleanup(process.kill)
        return own(ProcessID=self.innermost(process.pid))

    @staticmethod
    def innermost(pid):
        """bwrap waits outside for the process inside."""
        while True:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                children = file.read().split()
            if not children:
                return pid
            pid = int(children[0])

    def test_a_flatpak(self):
        self.assertApp(self.process(flatpak_info()), APP)
        self.assertApp(self.process(flatpak_info("org.example.Platform", "Runtime")), "org.example.Platform")
        self.assertApp(self.process(flatpak_info(), file="--file"), APP)
        self.assertApp(self.process(flatpak_info(), "--unshare-all"), APP)

    def test_a_container_of_the_user(self):
        self.assertUser(self.process())

    def test_texts_that_name_no_app(self):
        for text in ["", "[Application]\n", "[Application]\nname=\n", flatpak_info("a b"), flatpak_info("a" * 256),
                     flatpak_info("../../etc"), "\0" * 4096, "name=org.example.Phone\n"]:
            self.assertUnknown(self.process(text), "its sandbox names no app")

    def test_a_file_that_is_none(self):
        folder = f"{self.system.folder.name}/odd"
        os.mkdir(folder)
        self.assertUnknown(self.process(None, "--dir", "/.flatpak-info"), "its sandbox cannot be read: open")
        self.assertUnknown(self.process(None, "--symlink", "/etc/passwd", "/.flatpak-info"), "its sandbox cannot be read: open")
        self.assertUnknown(self.process(None, "--symlink", "/nowhere", "/.flatpak-info"), "its sandbox cannot be read: open")
        os.mkfifo(f"{folder}/fifo")
        self.assertUnknown(self.process(None, "--bind", f"{folder}/fifo", "/.flatpak-info"), "its sandbox cannot be read: open")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{folder}/socket")
            self.assertUnknown(self.process(None, "--bind", f"{folder}/socket", "/.flatpak-info"),
                               "its sandbox cannot be read: open")
        with open(f"{folder}/large", "wb") as file:
            file.truncate(1 << 30)
        self.assertUnknown(self.process(None, "--bind", f"{folder}/large", "/.flatpak-info"), "its sandbox cannot be read: read")
        self.assertUnknown(self.process(None, "--dev-bind", "/dev/zero", "/.flatpak-info"), "its sandbox cannot be read: open")

    def test_a_proxy_without_a_name(self):
        folder = f"{self.system.folder.name}/proxied"
        ready, done = os.pipe()
        with subprocess.Popen(["xdg-dbus-proxy", f"--fd={done}", self.system.address, folder], pass_fds=[done]) as proxy:
            os.close(done)
            os.read(ready, 1)
            self.assertUnknown(own(ProcessID=proxy.pid), "xdg-dbus-proxy speaks for an app that it does not name")
            proxy.kill()
        os.close(ready)

    def test_a_process_that_dies_while_it_is_looked_at(self):
        for _ in range(20):
            answer = self.process(flatpak_info()).held()
            client = self.client(answer)
            pending = self.read(client)
            answer.ready.set()
            os.kill(self.last_process(), signal.SIGKILL)
            pending.wait()
            self.assertEqual(pending.error_name, "org.opencallkit.Error.AccessDenied")

    def last_process(self):
        return self._cleanups[-1][0].__self__.pid


CHILD = """
import os, socket, sys
reading, writing = os.pipe()
if os.fork():
    # The test waits for this process, which waits for the end of all others.
    os.close(writing)
    os._exit(len(os.read(reading, 1)))
os.close(reading)
os.set_inheritable(writing, True)
sys.path.insert(0, sys.argv[1])
from support import raw_bus
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[2])
raw_bus.handshake(connection)
"""

ASK = """
connection.settimeout(600)
def ask(serial):
    connection.sendall(raw_bus.method_call(serial, "{name}", "{call}", "org.freedesktop.DBus.Properties", "Get", "ss",
        raw_bus.padded(raw_bus.string("{identity}"), 4) + raw_bus.string("Handle")))
    data = b""
    while b"somebody" not in data and b"AccessDenied" not in data:
        data += connection.recv(65536)
    return "user" if b"somebody" in data else "denied"
"""


class Processes(SystemTest):
    """What processes do with their connections."""

    arguments = ("--log-level", "info")

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.call = self.provider.incoming(handle=HANDLE)

    def run_script(self, *parts):
        code = CHILD + ASK.format(name=NAME, call=self.call, identity=IDENTITY) + "".join(parts)
        output = self.system.run(sys.executable, "-c", code, END_TO_END, self.system.socket)
        self.assertEqual(output.status, 0, output.errors)
        return output.text.split()

    def test_a_program_of_the_user(self):
        self.assertEqual(self.run_script("print(ask(5), ask(6))"), ["user", "user"])

    def test_a_connection_that_outlives_its_process_is_a_strangers(self):
        self.assertEqual(self.run_script("""
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    pass
print(ask(5), flush=True)
"""), ["denied"])

    def test_who_was_known_stays_so_when_its_process_has_gone(self):
        self.assertEqual(self.run_script("""
print(ask(5), flush=True)
parent = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    pass
print(ask(6), flush=True)
"""), ["user", "user"])

    def test_another_program_in_the_same_process(self):
        """The identity is that of the first call; the program that is started then changes nothing of it."""
        copy = f"{self.system.folder.name}/other-program"
        with open(os.path.realpath(sys.executable), "rb") as source, open(copy, "wb") as target:
            target.write(source.read())
        os.chmod(copy, 0o755)
        again = CHILD.replace("connection = socket.socket(socket.AF_UNIX)\n",
                              "connection = socket.socket(fileno=int(sys.argv[2]))\n")
        again = again.replace("connection.connect(sys.argv[2])\nraw_bus.handshake(connection)\n", "")
        again += ASK.format(name=NAME, call=self.call, identity=IDENTITY)
        self.assertEqual(self.run_script("print(ask(5), flush=True)\n", f"""
os.set_inheritable(connection.fileno(), True)
os.execv({copy!r}, [{copy!r}, "-c", {again + "print(ask(6))"!r}, sys.argv[1], str(connection.fileno())])
"""), ["user", "user"])
        self.assertEqual(self.run_script(f"""
os.set_inheritable(connection.fileno(), True)
os.execv({copy!r}, [{copy!r}, "-c", {again + "print(ask(6))"!r}, sys.argv[1], str(connection.fileno())])
"""), ["user"])
        self.assertIn("(program other-program, pid ", self.system.read_log())

    def test_an_app_with_the_whole_bus(self):
        """A Flatpak that was given the session bus itself is told by its own root folder."""
        command, descriptors = bwrap(flatpak_info(), "--setenv", "DBUS_SESSION_BUS_ADDRESS", self.system.address,
                                     folders=[self.system.folder.name])
        process = start([*command, f"{BUILD}/callctl", "answer"], descriptors, env=self.system.environment,
                        stderr=subprocess.PIPE, text=True)
        exited(process)
        with process.stderr:
            self.assertIn(f"{APP} is not allowed to call Call1.AnswerWith", process.stderr.read().replace("\n", " "))
        self.assertState(self.call, "ringing")
        self.system.undocumented = []
