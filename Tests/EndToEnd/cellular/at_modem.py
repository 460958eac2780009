"""A mobile phone on a wire: a modem that speaks the AT commands of 3GPP TS 27.007, as far as voice calls need them.

It runs in the test's own loop. `ring`, `answer`, `hang_up` and the like are what the network does; `commands` is what the
computer has asked for. A modem can also lie and dawdle: `late`, `twice`, `silent`, `lists`.
"""

import re
import socket

from gi.repository import GLib

ACTIVE, HELD, DIALING, ALERTING, INCOMING, WAITING = range(6)
"""States of a call in the answers of AT+CLCC."""

NUMBERS = {"busy": "+15550186", "nobody": "+15550187"}
"""Numbers that cannot be reached, and why."""

ANSWERS = {
    "+CGMI": ["Example"], "+CGMM": ["Wire"], "+CGMR": ["1"], "I": ["Manufacturer: Example"], "+GCAP": ["+GCAP: +CGSM"],
    "+CIMI": ["001010123456789"], "+CSQ": ["+CSQ: 20,99"], "+CFUN?": ["+CFUN: 1"], "+CNUM": ['+CNUM: "","+15550100",145'],
    "+CSCS=?": ['+CSCS: ("IRA","GSM")'], "+CSCS?": ['+CSCS: "IRA"'], "+WS46=?": ["+WS46: (12,22)"],
    "+COPS=3,2;+COPS?": ['+COPS: 0,2,"00101",2'], "+COPS=3,0;+COPS?": ['+COPS: 0,0,"Example"'],
    "+COPS?": ['+COPS: 0,0,"Example"'], "+CLCK=?": ['+CLCK: ("SC","AO","OI","AI")'], '+CLCK="SC",2': ["+CLCK: 0"],
    "+CREG=?": ["+CREG: (0-2)"], "+CGREG=?": ["+CGREG: (0-2)"], "+CRC=?": ["+CRC: (0,1)"], "+CBC": ["+CBC: 0,80"],
    "+CHLD=?": ["+CHLD: (0,1,1x,2,2x,3,4)"], "+CLCC=?": [], "+CLIP?": ["+CLIP: 1,1"], "+VTD?": ["+VTD: 0"],
    "+CCWA=1,2": ["+CCWA: 1,1"], "+CCWA?": ["+CCWA: 1"], "+CLVL=?": ["+CLVL: (0-10)"], "+CLVL?": ["+CLVL: 5"],
    "+CMUT?": ["+CMUT: 0"], "+CGACT?": [], "+CPAS": ["+CPAS: 0"], "+CCLK?": ['+CCLK: "26/01/01,12:00:00+04"'],
    "+CUSD=?": ["+CUSD: (0,1,2)"], "+CCLK=?": [], "+CTZU=?": ["+CTZU: (0,1)"], "+CRSM=176,12258,0,0,10": ['+CRSM: 144,0,"98101430121181157002"'],
}
"""Commands whose answer never changes."""

SETTINGS = re.compile(
    r"(E[01]|V1|X4|&C1|Q0|Z|&F|S\d+=.*|\+(CMEE|IFC|CREG|CGREG|CEREG|CRC|CLIP|COLP|CCWA|CSSN|CFUN|CSCS|COPS|VTD|CMUT|CLVL"
    r"|CNAP|CDIP|CTZR|CTZU|CLIR|CGEREP|CMER|CUSD|CSMS|COLR|VTSA|PTTY)=.*)$")
"""Settings, all of which are accepted."""


class Refused(Exception):
    """The network or the modem does not do it."""


def decoded(text, scheme):
    """The text of a service code: hexadecimal in UCS-2, in ASCII or in packed letters of GSM; or as it is."""
    if not re.fullmatch("([0-9A-F]{2})+", text):
        return text
    octets = bytes.fromhex(text)
    if re.fullmatch(rb"[0-9*#+]+", octets):
        return octets.decode()
    if scheme == 72:
        return octets.decode("utf-16-be")
    bits = int.from_bytes(octets, "little")
    letters = [bits >> 7 * index & 0x7F for index in range(len(octets) * 8 // 7)]
    # Seven bits at the end are filled with CR, or with nothing (TS 23.038, 6.1.2.3.1).
    return "".join(map(chr, letters)).rstrip("\r\0")


class AtCall:
    """A call of the modem's list."""

    def __init__(self, is_outgoing, state, number):
        self.is_outgoing = is_outgoing
        self.state = state
        self.number = number
        self.is_multiparty = False

    def line(self, index):
        """The call in the answer of AT+CLCC."""
        kind = 145 if self.number.startswith("+") else 129
        number = f'"{self.number}",{kind}' if self.number else '"",128'
        return f"+CLCC: {index},{0 if self.is_outgoing else 1},{self.state},0,{int(self.is_multiparty)},{number}"


class AtModem:
    """A modem at a Unix socket in the abstract name space, or at a TCP port of this machine (`address` is its number, or 0)."""

    def __init__(self, address, imei="359999999999993"):
        self.imei = imei
        self.commands = []
        self.digits = ""
        self.calls = {}
        self.pin = "READY"
        """The answer of AT+CPIN?; empty without a SIM card."""
        self.registration = 1
        """The answer of AT+CREG?: 0 not registered, 1 at home, 3 denied."""
        self.late = {}
        """Seconds that the answers to commands with these beginnings take."""
        self.twice = set()
        """The beginnings of commands that are answered twice."""
        self.silent = set()
        """The beginnings of commands that are never answered."""
        self.refuses = set()
        """The beginnings of commands that fail."""
        self.lists = []
        """Answers of AT+CLCC, to be given in place of the true one, each once."""
        self.tells_numbers = True
        """Whether the number of an incoming call follows each ring."""
        self.rings_alone = True
        """Whether a dialed call rings at the far side without help."""
        self.answers = {}
        """What the network says to service codes and replies: (code of +CUSD, text). 1 asks back, 0 does not, 2 ends."""
        self.codes = []
        """The service codes and replies that were sent."""
        self.charset = "GSM"
        """The character set of texts: that of AT+CSCS."""
        self.connection = None
        self.buffer = b""
        self.timers = set()
        if isinstance(address, int):
            self.listener = socket.socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind(("127.0.0.1", address))
            self.port = self.listener.getsockname()[1]
        else:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind("\0" + address)
        self.listener.listen(5)
        self.source = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self.listener.fileno(), GLib.IOCondition.IN, self.accept)
        self.reading = 0
        self.after(3, self.repeat_ring)

    # What the network does

    def ring(self, number=""):
        """A call comes in, withheld by default. Beside another call it waits. Returns its index."""
        index = self.add(AtCall(False, WAITING if self.calls else INCOMING, number))
        self.announce(index)
        return index

    def answer(self):
        """The far side answers the call that is being dialed."""
        for call in self.in_state(DIALING, ALERTING):
            call.state = ACTIVE

    def hang_up(self, index, silently=False):
        """The far side ends a call. `silently`, only the list of calls says so: whoever waits for the answer to a command,
        such as for the list, takes NO CARRIER for the answer.
        """
        self.calls.pop(index, None)
        if not silently:
            self.tell("NO CARRIER")
        self.promote()

    def exchange(self):
        """The network exchanges the active call with the held one, which nobody has asked for."""
        for call in self.in_state(ACTIVE, HELD):
            call.state = HELD if call.state == ACTIVE else ACTIVE

    def say(self, kind, text=""):
        """The network answers a service code, or a reply to it, or says something unasked."""
        encoding, scheme = ("ascii", 15) if self.charset == "IRA" else ("utf-16-be", 72)
        self.tell(f'+CUSD: {kind}' + (f',"{text.encode(encoding).hex().upper()}",{scheme}' if text else ""))

    def register(self, registration):
        self.registration = registration
        self.tell(f"+CREG: {registration}")
        self.tell(f"+CGREG: {registration}")

    def unplug(self):
        """The wire is cut."""
        self.hear_nothing()
        if self.source:
            GLib.source_remove(self.source)
            self.source = 0
            self.listener.close()
        for timer in list(self.timers):
            GLib.source_remove(timer)
        self.timers = set()

    close = unplug

    # What is asked of the tests

    def sent(self, beginning):
        """The commands that begin so."""
        return [command for command in self.commands if command.startswith(beginning)]

    def states(self):
        """The states of all calls, by index."""
        return {index: call.state for index, call in sorted(self.calls.items())}

    # The calls

    def add(self, call):
        index = next(number for number in range(1, 8) if number not in self.calls)
        self.calls[index] = call
        return index

    def in_state(self, *states):
        return [call for _, call in sorted(self.calls.items()) if call.state in states]

    def drop(self, *states):
        for index, call in list(self.calls.items()):
            if call.state in states:
                del self.calls[index]

    def promote(self):
        """A waiting call rings once nothing is in its way."""
        if not self.in_state(ACTIVE, HELD, DIALING, ALERTING):
            for call in self.in_state(WAITING):
                call.state = INCOMING

    def announce(self, index):
        """Rings once, if the call still is there."""
        if index not in self.calls:
            return
        call = self.calls[index]
        kind = 145 if call.number.startswith("+") else 129 if call.number else 128
        if call.state == INCOMING:
            number = f'+CLIP: "{call.number}",{kind}' + ("" if call.number else ",,,,1")
            self.tell("+CRING: VOICE", *([number] if self.tells_numbers else []))
        else:
            self.tell(f'+CCWA: "{call.number}",{kind},1')

    def repeat_ring(self):
        for index, call in self.calls.items():
            if call.state == INCOMING:
                self.announce(index)
        self.after(3, self.repeat_ring)

    # Commands

    def perform(self, command):
        """Returns the lines of an answer, without the final result. Throws `Refused`."""
        word = command[2:] if command[:2].upper() == "AT" else command
        if any(word.startswith(beginning) for beginning in self.refuses):
            raise Refused
        if word in ANSWERS:
            return ANSWERS[word]
        if word == "+CGSN":
            return [self.imei]
        if word == "+CPIN?":
            if not self.pin:
                raise Refused("10")
            return [f"+CPIN: {self.pin}"]
        if word in ("+CREG?", "+CGREG?"):
            return [f'{word[:-1]}: 2,{self.registration},"1234","001122BB"']
        if word == "+CLCC":
            return self.lists.pop(0) if self.lists else [call.line(index) for index, call in sorted(self.calls.items())]
        if word.startswith("D"):
            return self.dial(word[1:].rstrip(";").rstrip("iIgG").strip())
        if word == "A":
            return self.accept_call()
        if word in ("H", "H0", "+CHUP"):
            self.drop(ACTIVE, DIALING, ALERTING, INCOMING)
            self.promote()
            return []
        if word.startswith("+VTS="):
            # Several may come in one line.
            for part in word.split(";"):
                self.digits += part.removeprefix("+VTS=").strip('"').split(",", maxsplit=1)[0]
            return []
        if word.startswith("+CHLD="):
            return self.serve(word[6:])
        if word.startswith("+CSCS="):
            self.charset = word[6:].strip('"')
            return []
        if word.startswith("+CUSD=1,"):
            return self.obey(word)
        if word == "" or SETTINGS.match(word):
            return []
        raise Refused

    def dial(self, number):
        if self.in_state(DIALING, ALERTING) or self.in_state(ACTIVE) and self.in_state(HELD):
            raise Refused
        for call in self.in_state(ACTIVE):
            call.state = HELD
        if number == NUMBERS["busy"]:
            raise Refused("BUSY")
        if number == NUMBERS["nobody"]:
            raise Refused("NO CARRIER")
        call = AtCall(True, DIALING, number)
        self.add(call)
        if self.rings_alone:
            self.after(0.2, lambda: self.alert(call))
        return []

    def obey(self, word):
        """A service code, or a reply: TS 27.007, 7.15. The answer follows OK."""
        text, scheme = re.fullmatch(r'\+CUSD=1,"([^"]*)",(\d+)', word).groups()
        code = decoded(text, int(scheme))
        self.codes.append(code)
        if code in self.answers:
            kind, answer = self.answers[code]
            self.after(0.01, lambda: self.say(kind, answer))
        return []

    def alert(self, call):
        if call.state == DIALING:
            call.state = ALERTING

    def accept_call(self):
        calls = self.in_state(INCOMING)
        if not calls:
            raise Refused
        calls[0].state = ACTIVE
        return []

    def serve(self, service):
        """The supplementary services of call hold and conferences: TS 27.007, 7.13, and TS 22.030, 6.5.5."""
        kind, index = service[0], int(service[1:] or 0)
        if index and index not in self.calls:
            raise Refused
        active, held, waiting = self.in_state(ACTIVE), self.in_state(HELD), self.in_state(WAITING, INCOMING)
        if kind == "0":
            self.drop(*((WAITING, INCOMING) if waiting else (HELD,)))
        elif kind == "1" and index:
            del self.calls[index]
        elif kind == "1":
            self.drop(ACTIVE)
            for call in waiting or held:
                call.state = ACTIVE
        elif kind == "2" and index:
            if held or self.calls[index] not in active:
                raise Refused
            for call in active:
                call.state = HELD
            self.calls[index].state = ACTIVE
            self.calls[index].is_multiparty = False
        elif kind == "2":
            if waiting and active and held:
                raise Refused
            for call in active:
                call.state = HELD
            for call in waiting or held:
                call.state = ACTIVE
        elif kind == "3":
            if not active or not held:
                raise Refused
            for call in active + held:
                call.state, call.is_multiparty = ACTIVE, True
        else:
            raise Refused
        for state in (ACTIVE, HELD):
            if len(self.in_state(state)) == 1:
                self.in_state(state)[0].is_multiparty = False
        self.promote()
        return []

    # The wire

    def after(self, seconds, action):
        def run():
            self.timers.discard(timer)
            action()
            return False
        timer = GLib.timeout_add(int(seconds * 1000), run)
        self.timers.add(timer)

    def accept(self, *_):
        self.hear_nothing()
        self.connection, _ = self.listener.accept()
        self.buffer = b""
        self.reading = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self.connection.fileno(), GLib.IOCondition.IN | GLib.IOCondition.HUP, self.hear)
        return True

    def hear_nothing(self):
        if self.reading:
            GLib.source_remove(self.reading)
            self.reading = 0
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def hear(self, *_):
        data = self.connection.recv(4096)
        if not data:
            self.reading = 0
            self.connection.close()
            self.connection = None
            return False
        self.buffer += data
        while b"\r" in self.buffer:
            line, _, self.buffer = self.buffer.partition(b"\r")
            command = line.decode(errors="replace").strip("\n\x1a ")
            if command:
                self.take(command)
        return True

    def take(self, command):
        word = command[2:]
        self.commands.append(word)
        try:
            answer = [*self.perform(command), "OK"]
        except Refused as refusal:
            reason = str(refusal)
            answer = [f"+CME ERROR: {reason}" if reason.isdigit() else reason or "ERROR"]
        if any(word.startswith(beginning) for beginning in self.silent):
            return
        late = [seconds for beginning, seconds in self.late.items() if word.startswith(beginning)]
        answer *= 2 if any(word.startswith(beginning) for beginning in self.twice) else 1
        if late:
            self.after(late[0], lambda: self.tell(*answer))
        else:
            self.tell(*answer)

    def tell(self, *lines):
        if self.connection is None:
            return
        try:
            self.connection.sendall("".join(f"\r\n{line}\r\n" for line in lines).encode())
        except OSError:
            self.hear_nothing()
