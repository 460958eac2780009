"""A session that ends takes the agent with it, and a bus that comes back has it again."""

import os

from desktop.case import DESKTOP_NAME, DesktopTest
from support.system import BUILD
from support.waiting import exited


class BusTests(DesktopTest):
    arguments = ("--bus-timeout", "60000")

    def test_it_ends_when_the_bus_has_gone(self):
        agent = self.start_agent("--deadline", "bus=300")
        self.system.broker.kill()
        self.assertEqual(exited(agent), 0)
        self.system.restart_bus()

    def test_it_ends_where_there_is_no_bus(self):
        agent = self.spawn(os.path.join(BUILD, "callkit-desktop"), "--deadline", "bus=300", "--address", "unix:path=/nonexistent/bus")
        self.assertEqual(exited(agent), 0)

    def test_it_waits_for_a_bus_that_comes_back(self):
        agent = self.start_agent("--deadline", "bus=60000")
        self.system.restart_bus()
        self.wait_name(DESKTOP_NAME)
        self.assertIsNone(agent.poll())
