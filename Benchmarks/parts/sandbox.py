"""What the sandbox of a plugin costs: time from enabled to ready, and memory, beside the same plugin outside.

Both plugins run in one daemon and start in turns, with a service in C; what counts is the median of the differences.
"""

import os
import shutil

from rows import ABSOLUTE, in_turns
from tree import NAME, PLUGIN, ROOT, Failure, Tree, anonymous

INSIDE, OUTSIDE = "MonkeyCall", "MonkeyFree"
ROUNDS = 50


def started(tree, plugin):
    time = tree.moment("ready", f"{ROOT}/plugins/{plugin}")
    tree.await_provider(plugin)
    return time, anonymous(tree.pid(plugin)) / 1024


def measure(part):
    plugins = f"{part.folder}/plugins"
    for name in (INSIDE, OUTSIDE):
        shutil.copytree(f"{part.plugins}/{INSIDE}.callplugin", f"{plugins}/{name}.callplugin")
    os.rename(f"{plugins}/{OUTSIDE}.callplugin/{INSIDE}.so", f"{plugins}/{OUTSIDE}.callplugin/{OUTSIDE}.so")
    with Tree(part.folder) as tree:
        tree.service(NAME, f"{part.build}/callkitd", "--plugin-path", plugins, "--no-sandbox", OUTSIDE)
        for plugin in (INSIDE, OUTSIDE):
            tree.await_provider(plugin)
        if (level := tree.get(f"{ROOT}/plugins/{INSIDE}", PLUGIN, "Sandbox")) == "none":
            raise Failure(f"the plugin has no sandbox: {level}")
        inside, outside, floor = in_turns(part.times(ROUNDS), lambda: started(tree, INSIDE),
                                          lambda: started(tree, OUTSIDE), tree.start_floor)
    part.row("enabled to ready, outside", [time for time, _ in outside], "ms", reason=ABSOLUTE)
    part.row("  the sandbox adds", [mine[0] - other[0] for mine, other in zip(inside, outside)], "ms", reason=ABSOLUTE)
    part.row("  of the start of a service in C",
             [(mine[0] - other[0]) / start for mine, other, start in zip(inside, outside, floor)], "×", 1.5)
    part.row("worker, private memory, outside", [size for _, size in outside], "KiB", reason="It is the plugin's own.")
    part.row("  the sandbox adds memory", [mine[1] - other[1] for mine, other in zip(inside, outside)], "KiB", 64)
