"""Runs the races of `races.py` in parallel, each with a bus and a daemon of its own."""

import os
import subprocess
import sys
import tempfile
import unittest


class Races(unittest.TestCase):
    """One process per race, started together."""

    names = ["Requests.test_two_clients_answer_the_same_call", "Requests.test_answer_and_end_back_to_back",
             "Requests.test_a_client_dies_after_start_call", "Deaths.test_a_provider_dies_between_hold_and_answer"]

    @classmethod
    def setUpClass(cls):
        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "races.py")
        cls.racers = {}
        for name in cls.names:
            output = tempfile.TemporaryFile("w+", encoding="utf-8")
            process = subprocess.Popen([sys.executable, file, name], stdout=output, stderr=subprocess.STDOUT)
            cls.addClassCleanup(cls.finish, process, output)
            cls.racers[name] = (process, output)

    @staticmethod
    def finish(process, output):
        if process.poll() is None:
            process.terminate()
            process.wait()
        output.close()

    def finish_race(self, name):
        process, output = self.racers[name]
        status = process.wait()
        output.seek(0)
        text = output.read()
        self.assertEqual(status, 0, text)
        self.assertIn("Ran 1 test", text)

    def test_two_clients_answer_the_same_call(self):
        self.finish_race(self.names[0])

    def test_answer_and_end_back_to_back(self):
        self.finish_race(self.names[1])

    def test_a_client_dies_after_start_call(self):
        self.finish_race(self.names[2])

    def test_a_provider_dies_between_hold_and_answer(self):
        self.finish_race(self.names[3])
