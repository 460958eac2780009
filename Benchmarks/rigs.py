"""What the benchmarks take from the end-to-end tests: no other file imports any of it.

These find the build in OPENCALLKIT_BUILD, and make GLib's loop the default one of D-Bus.
"""

import sys
import time

import dbus.lowlevel

from tree import REPOSITORY

sys.path.append(f"{REPOSITORY}/Tests/EndToEnd")

# ruff: noqa: E402, F401
from support.messages import Pending
from cellular.modems import ModemManager, ServiceBus, bundle
from sip.callers import Caller
from sip.measurement import MeasuredTest
from sip.measures import RtpMeter, click_delays, longest_hole, processor_time, signal_to_noise
from sip.phones import Baresip
from sip.sound import RATE
from sip.case import PASSWORDS
from support.system import System
from support.waiting import let_pass, wait_until


class Arrivals(dict):
    """When a signal of each name came last at these connections. Of new objects, calls are taken."""

    def __init__(self, *buses):
        super().__init__()
        self.call = ""
        for bus in buses:
            bus.add_message_filter(self.take)

    def take(self, _, message):
        if message.get_type() == dbus.lowlevel.MESSAGE_TYPE_SIGNAL:
            name, arguments = message.get_member(), message.get_args_list()
            if name != "InterfacesAdded":
                self[name] = time.perf_counter()
            elif "/calls/" in arguments[0]:
                self[name], self.call = time.perf_counter(), str(arguments[0])
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def wait(self, *names):
        wait_until(lambda: self.keys() >= set(names), lambda: f"{names} are to come, {list(self)} came")
