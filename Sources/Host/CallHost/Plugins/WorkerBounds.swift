// WorkerBounds: the bounds of a worker's memory and processor time.

import EventLoop
import Files

/// The bounds of each worker, and the last measurement of this one. Resource limits bound single processes; these
/// bounds cover what resource limits do not. docs/plugins.md lists them, and those of folders.
struct WorkerBounds {
    /// Resident and swapped memory, and open files without a name, in bytes.
    static let memory: UInt64 = 512 << 20
    /// Threads and processes together.
    static let threads: UInt64 = 128
    /// Its `cpu.weight`; the kernel's default is 100.
    static let weight: UInt64 = 20
    /// The part of one processor that it may use while it has no call, in percent.
    static let processor: UInt64 = 75
    /// How many periods of pings in a row it must exceed `processor`: 60 s.
    static let busyPeriods = 2

    /// The bounds that its control group enforces.
    static let ofGroup = ControlGroup.Bounds(memory: memory, threads: threads, weight: weight)

    private var last: (processorTime: Duration, moment: MonotonicTime)?
    private var busyPeriods = 0

    /// Takes in a measurement.
    ///
    /// - Parameter hasCalls: Whether the plugin has calls; during a call, processor time has no bound.
    /// - Returns: The bound that it exceeds, as the end of a sentence about the worker; nil if there is none.
    mutating func exceeded(by use: ProcessUse, at now: MonotonicTime, hasCalls: Bool) -> String? {
        let memory = use.memory + use.namelessFiles
        if memory > Self.memory {
            return "takes \(Self.megabytes(memory)) of memory, at most \(Self.megabytes(Self.memory)) are allowed"
        }
        defer { last = (use.processorTime, now) }
        guard let last, !hasCalls else {
            busyPeriods = 0
            return nil
        }
        let spent = max(.zero, use.processorTime - last.processorTime)
        let passed = max(.milliseconds(1), now.duration(since: last.moment))
        busyPeriods = spent * 100 > passed * Self.processor ? busyPeriods + 1 : 0
        guard busyPeriods >= Self.busyPeriods else { return nil }
        return "has no call and takes \(spent.milliseconds * 100 / passed.milliseconds) % of a processor all the time, "
            + "at most \(Self.processor) % are allowed"
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\(bytes >> 20) MiB" }
}
