"""A third-party plugin: a package of its own, outside this one, which depends on OpenCallKit by URL and version. It is
the sample of the article "Write a provider"."""

import os
import shutil
import subprocess
import tempfile

from plugins.case import PluginTest
from support.system import BUILD, CALL, REPOSITORY
from support.waiting import wait_until

SAMPLE = os.path.join(REPOSITORY, "Examples", "Smallest")
SCRATCH = os.path.join(os.path.dirname(BUILD), "third-party")
"""The folder that is kept between two runs, so that the second builds only changed files."""

LIBRARY = os.path.join(SCRATCH, "OpenCallKit.git")
AS_PRINTED = '.package(name: "OpenCallKit", path: "../..")'
AUTHOR = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")


def run(*command, folder=None):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout.strip()


def publish():
    """Commits this source tree as the newest version in a repository of its own."""
    git = ["git", "--git-dir", LIBRARY, "--work-tree", REPOSITORY]
    if not os.path.isdir(LIBRARY):
        shutil.rmtree(SCRATCH, ignore_errors=True)
        run("git", "init", "--quiet", "--bare", "--initial-branch=main", LIBRARY)
        run(*git[:3], "config", "core.bare", "false")
    run(*git, "add", "--all", folder=REPOSITORY)
    if run(*git, "status", "--porcelain", folder=REPOSITORY):
        run(*git, *AUTHOR, "commit", "--quiet", "--message", "this tree", folder=REPOSITORY)
        run(*git, "tag", f"0.1.{run(*git, 'rev-list', '--count', 'HEAD')}")


class ThirdParty(PluginTest):
    def package(self):
        """A copy of the sample, in a folder outside the repository."""
        folder = tempfile.TemporaryDirectory(prefix="opencallkit-third-party-")
        self.addCleanup(folder.cleanup)
        copy = f"{folder.name}/Smallest"
        shutil.copytree(SAMPLE, copy, ignore=shutil.ignore_patterns(".build", "Package.resolved"))
        with open(f"{copy}/Sources/Smallest/Smallest.swift", encoding="utf-8") as file:
            self.assertLessEqual(len(file.readlines()), 30)
        return copy

    def depend(self, folder, dependency):
        """Has the package depend on this instead of the folder that is printed."""
        with open(f"{SAMPLE}/Package.swift", encoding="utf-8") as file:
            text = file.read()
        self.assertIn(AS_PRINTED, text)
        with open(f"{folder}/Package.swift", "w", encoding="utf-8") as file:
            file.write(text.replace(AS_PRINTED, dependency))

    def test_a_folder_of_any_name(self):
        """The package as printed, with the place of this folder."""
        folder, build = self.package(), os.path.join(SCRATCH, "paths")
        self.depend(folder, AS_PRINTED.replace("../..", REPOSITORY))
        self.assertIn(REPOSITORY, run("swift", "package", "--scratch-path", build, "show-dependencies", folder=folder))

    def test_a_package_outside_the_tree(self):
        publish()
        folder, build = self.package(), os.path.join(SCRATCH, "build")
        self.depend(folder, f'.package(url: "file://{LIBRARY}", from: "0.1.0")')
        run("swift", "package", "--scratch-path", build, "update", folder=folder)
        run("swift", "build", "--scratch-path", build, folder=folder)
        with open(f"{build}/debug/libSmallest.so", "rb") as file:
            library = file.read()
        self.assertIn(b"$s8Smallest", library, "the package's own code is not in it")
        self.assertIn("certified, ", run(f"{BUILD}/callctl", "certify", f"{build}/debug/libSmallest.so"))
        path = self.place("Smallest", library)

        self.wait_ready("Smallest")
        self.assertEqual(self.property(self.plugin("Smallest"), "Path", "org.opencallkit.Plugin1"), path)
        call = self.start_call("generic:somebody").result()
        self.wait_state(call, "active")
        self.assertEqual(self.system.states(call), ["starting", "started", "active"])
        self.assertEqual(self.property(call, "Provider", CALL), self.provider("Smallest"))
        self.end(call).result()
        self.assertEnded(call, "local-ended", "user")

        os.unlink(path)
        wait_until(lambda: self.provider("Smallest") not in self.system.objects, "its provider stays")
        wait_until(lambda: self.plugin("Smallest") not in self.system.objects, "its plugin stays")
