#!/usr/bin/python3
"""The far end of a tin can telephone: answers calls, and prints what it hears. Who calls `busy` hears that it is busy,
who calls `late` that it rings, and nobody knows `stranger`.

Usage: can.py PORT [NAME@ADDRESS:PORT]     for example: can.py 7301 ada@127.0.0.1:7300, which calls Ada first
"""

import socket
import sys
import uuid

ANSWERS = {"busy": ["busy"], "late": ["ringing"], "stranger": ["unknown"]}

if len(sys.argv) < 2:
    sys.exit(__doc__)
can = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
can.bind(("127.0.0.1", int(sys.argv[1])))
if len(sys.argv) > 2:
    name, _, place = sys.argv[2].partition("@")
    address, _, port = place.partition(":")
    can.sendto(f"call {uuid.uuid4()} {name} bob".encode(), (address, int(port)))
while True:
    packet, peer = can.recvfrom(1500)
    verb, call, *rest = packet.decode().split()
    print(verb, *rest, flush=True)
    if verb == "call":
        for answer in ANSWERS.get(rest[0], ["ringing", "answer"]):
            can.sendto(f"{answer} {call}".encode(), peer)
