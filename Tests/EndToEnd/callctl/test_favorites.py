"""callctl's commands for favorites, with the real store."""

from support.case import SystemTest
from support.scene import TwoProviders
from support.terminal import REFUSED, UNKNOWN, USAGE, Commands, People


class First(Commands, SystemTest):
    def test_the_first_request_is_answered(self):
        """Also for a client whose request made the bus start the daemon."""
        self.assertEqual(self.says("favorites"), "no favorites\n")


class Favorites(People):
    def test_from_the_first_to_the_last(self):
        self.assertEqual(self.says("favorites"), "no favorites\n")
        self.assertEqual(self.data("favorites"), [])
        self.assertEqual(self.says("favorites", "add", "070-174 06 35", "Monkey"), "added Monkey as 1, +46701740635\n")
        self.assertEqual(self.says("favorites", "add", "banana@example.org"), "added banana@example.org as 2\n")
        self.assertEqual(self.data("favorites", "add", "generic:tree", "Tree", "--provider", "Hotline"), {"id": 3, "normalized": "tree"})
        self.assertEqual(self.says("favorites", "move", "tree", "first"), "moved Tree (tree) to the first place\n")
        self.assertEqual(self.says("favorites", "list").splitlines(), [
            "PLACE  ID  NAME    HANDLE              TYPE           PROVIDER",
            "    1   3  Tree    tree                generic        Hotline",
            "    2   1  Monkey  0701740635          phone-number",
            "    3   2          banana@example.org  email-address"])
        self.says("favorites", "move", "3", "2")
        self.assertEqual([row["id"] for row in self.data("favorites")], [1, 3, 2])
        self.says("favorites", "move", "mon", "last")
        self.assertEqual([row["id"] for row in self.data("favorites")], [3, 2, 1])
        self.assertEqual(self.says("favorites", "remove", "ban"), "removed banana@example.org\n")
        self.assertEqual([row["name"] for row in self.data("favorites")], ["Tree", "Monkey"])

    def test_the_same_number_is_renamed(self):
        self.says("favorites", "add", "+46701740635", "Monkey")
        self.says("favorites", "add", "tel:0701740635", "Ape")
        self.assertEqual([row["name"] for row in self.data("favorites")], ["Ape"])

    def test_nonsense(self):
        output = self.callctl("favorites", "remove", "nobody", status=UNKNOWN)
        self.assertEqual(output.errors, 'callctl: no favorite "nobody"\n')
        self.callctl("favorites", "add", "", status=USAGE)
        output = self.callctl("favorites", "add", "tree", status=USAGE)
        self.assertIn('"tree" cannot be called, expected a number such as', output.errors)
        output = self.callctl("favorites", "add", "generic:tree", "--provider", "no/id", status=REFUSED)
        self.assertIn("InvalidArguments: ", output.errors)

    def test_columns_fit(self):
        self.says("favorites", "add", "generic:" + "x" * 200, "漢字" * 40)
        lines = self.callctl("favorites", COLUMNS="80").text.splitlines()
        width = sum(2 if ord(character) > 0x2E80 else 1 for character in lines[1])
        self.assertLessEqual(width, 80)
        self.assertIn("…", lines[1])


class Calling(TwoProviders, People):
    def test_a_favorite_is_called_by_its_provider(self):
        self.says("favorites", "add", "generic:tree", "Tree", "--provider", self.alpha.path.rsplit("/", 1)[1])
        call = self.data("favorites", "call", "tre")["object"]
        self.assertEqual(self.property(call, "Provider"), self.alpha.path)
        self.wait_state(call, "active")
        self.assertEqual(self.says("favorites", "call", "tree", "--conflict", "end").count("-"), 4)

    def test_a_provider_that_has_gone_gives_way(self):
        self.says("favorites", "add", "a@example.org", "Anna", "--provider", "Gone")
        call = self.data("favorites", "call", "anna", "--video")["object"]
        self.assertEqual(self.property(call, "Provider"), self.beta.path)
        self.assertTrue(self.property(call, "Video"))
