// ProcessMemory: who sees the memory of this process, and how much of it stays when it is free.

internal import CSystem
internal import Glibc

public enum ProcessMemory {
    /// Keeps other programs of the user from reading the memory, with a debugger or from a core file: it has who calls
    /// whom, or secrets. `/proc/PID` belongs to root then. `OPENCALLKIT_DEBUGGABLE=1` in the environment leaves the process as it
    /// is.
    public static func keepPrivate() {
        guard getenv("OPENCALLKIT_DEBUGGABLE").map({ String(cString: $0) }) != "1" else { return }
        ock_keep_memory_private()
    }

    /// Overwrites bytes with zeroes, and empties the array. Copies that were made of the array are their owners' to
    /// overwrite.
    public static func erase(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } }
        bytes = []
    }

    /// Gives large blocks back to the system when they are freed: one large message would stay in the heap for ever.
    public static func returnLargeBlocks() { ock_return_large_blocks() }
}
