// Control groups, in a folder that stands in for the kernel's.

import EventLoop
import Foundation
import Testing

@testable import Files

@Suite final class ControlGroupTests {
    private let folder = NSTemporaryDirectory() + "control-groups-\(UUID().uuidString)"
    private static let bounds = ControlGroup.Bounds(memory: 512 << 20, threads: 128, weight: 20)

    deinit { try? FolderTree.remove(folder) }

    private func put(_ text: String, _ path: String) throws {
        let file = URL(filePath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(path)")), as: UTF8.self)
    }

    private func makeTree(controllers: String = "cpuset cpu io memory pids", processes: String = "\(getpid())\n") throws
    {
        try put(controllers + "\n", "cgroup.controllers")
        try put(processes, "cgroup.procs")
        try put("", "cgroup.subtree_control")
        try put("", "callkitd/cgroup.procs")
    }

    @Test func aGroupThatWasHandedOverIsTakenOver() throws {
        try makeTree()
        let tree = try ControlGroupTree(takingOver: folder)
        #expect(try text("callkitd/cgroup.procs") == "\(getpid())")
        #expect(try text("cgroup.subtree_control") == "+memory +pids +cpu")
        for file in ["memory.max", "pids.max", "cpu.weight", "cgroup.procs"] { try put("", "plugin-Phone/\(file)") }
        let group = try ControlGroup("plugin-Phone", in: tree, Self.bounds)
        #expect(try text("plugin-Phone/memory.max") == "\(512 << 20)")
        #expect(try text("plugin-Phone/pids.max") == "128")
        #expect(try text("plugin-Phone/cpu.weight") == "20")
        try group.add(4711)
        #expect(try text("plugin-Phone/cgroup.procs") == "4711")
        #expect(group.killsForMemory == 0)
        try put("low 0\nhigh 0\nmax 17\noom 1\noom_kill 1\n", "plugin-Phone/memory.events")
        #expect(group.killsForMemory == 1)
        let next = try ControlGroup("plugin-Phone", in: tree, Self.bounds)
        #expect(next.killsForMemory == 0)
        try put("oom_kill 3\n", "plugin-Phone/memory.events")
        #expect(next.killsForMemory == 2)
    }

    @Test func othersInTheGroupAreLeftAlone() throws {
        try makeTree(processes: "1\n\(getpid())\n")
        #expect(throws: SystemError(call: "cgroup", code: EBUSY)) { try ControlGroupTree(takingOver: folder) }
        #expect(try text("cgroup.subtree_control") == "")
    }

    @Test func aControllerIsMissing() throws {
        for controllers in ["", "cpu pids", "cpuset io", "cpu memory"] {
            try makeTree(controllers: controllers)
            #expect(throws: SystemError(call: "cgroup", code: ENOTSUP)) { try ControlGroupTree(takingOver: folder) }
        }
        #expect(throws: SystemError.self) { try ControlGroupTree(takingOver: folder + "/none") }
    }

    @Test func theOwnGroup() {
        let mounts = """
            31 24 0:27 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw,mode=755
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
            """
        let group = "/user.slice/callkitd.service"
        #expect(
            ControlGroupTree.path(groups: "8:pids:/x\n0::\(group)\n", mounts: mounts)
                == "/sys/fs/cgroup/unified\(group)")
        // The root is nobody's, and without a mount there is nothing to write to.
        #expect(ControlGroupTree.path(groups: "0::/\n", mounts: mounts) == nil)
        #expect(ControlGroupTree.path(groups: "8:pids:/x\n", mounts: mounts) == nil)
        #expect(ControlGroupTree.path(groups: "0::\(group)\n", mounts: "") == nil)
        #expect(
            ControlGroupTree.path(groups: "0::\(group)\n", mounts: "1 2 3:4 /part /mnt rw - cgroup2 cgroup2 rw") == nil)
    }
}
