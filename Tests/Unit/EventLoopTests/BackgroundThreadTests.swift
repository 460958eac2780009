// Background work is done completely and in order, by one thread of low priority.

import EventLoop
import Glibc
import Synchronization
import Testing

/// Of the calling thread.
private func niceness() -> Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

@Suite struct BackgroundThreadTests {
    @Test func allIsDoneInOrderAlsoWhenNobodyHoldsOnToIt() async throws {
        let done = Mutex<[Int]>([])
        let threads = Mutex<Set<UInt>>([])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let thread = try? BackgroundThread("test")
            for index in 0..<1_000 {
                thread?.post {
                    done.withLock { $0.append(index) }
                    threads.withLock { _ = $0.insert(UInt(pthread_self())) }
                }
            }
            guard let thread else { return continuation.resume() }
            thread.post { continuation.resume() }
        }
        #expect(done.withLock { $0 } == Array(0..<1_000))
        #expect(threads.withLock { $0.count } == 1)
    }

    @Test func itStandsBack() async throws {
        let thread = try BackgroundThread("standing-back")
        let own = niceness()
        let (nice, policy) = await withCheckedContinuation { continuation in
            thread.post { continuation.resume(returning: (niceness(), sched_getscheduler(0))) }
        }
        #expect(nice == 10 && policy == 3)
        // Whoever made it does not.
        #expect(niceness() == own && sched_getscheduler(0) != policy)
    }

    @Test func itEndsWhenNobodyHoldsOnToIt() async throws {
        var thread: BackgroundThread? = try BackgroundThread("ends")
        let folder = await withCheckedContinuation { continuation in
            thread?.post { continuation.resume(returning: Self.folderOfThread()) }
        }
        thread = nil
        let deadline = MonotonicTime.now.advanced(by: .milliseconds(600_000))
        var exists = true
        while exists, MonotonicTime.now < deadline {
            await Task.yield()
            exists = access("/proc/\(folder)", F_OK) == 0
        }
        #expect(!exists)
    }

    /// Below /proc.
    private static func folderOfThread() -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = readlink("/proc/thread-self", &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
