// Queues, timers and sources of Dispatch, and threads.

import CheckingProvider
import Foundation
import OpenCallKit
import Synchronization

/// A number that several threads increase.
final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increase() { count.withLock { $0 += 1 } }
}

enum QueueChecks {
    static let all = [
        Check("blocks") { _ in try blocks() }, Check("blocking-blocks") { _ in try blockingBlocks() },
        Check("concurrent-perform") { _ in try concurrentPerform() }, Check("barriers") { _ in try barriers() },
        Check("timers") { _ in try timers() }, Check("pipe-source") { _ in try pipeSource() },
        Check("threads") { _ in try threads() }, Check("waiting-threads") { _ in try waitingThreads() },
        Check("blocked-queue") { _ in try blockedQueue() }, Check("thread-run-loop") { _ in try threadRunLoop() },
    ]

    private static func wait(for group: DispatchGroup, _ what: String) throws {
        try expect(group.wait(timeout: .now() + 20) == .success, "\(what): not done after 20 s")
    }

    private static func blocks() throws -> String {
        let (group, done) = (DispatchGroup(), Count())
        for number in 0..<500 {
            let quality: DispatchQoS.QoSClass = number.isMultiple(of: 2) ? .userInteractive : .background
            DispatchQueue.global(qos: quality).async(group: group) { done.increase() }
        }
        try wait(for: group, "500 blocks")
        try expect(done.value == 500, "\(done.value) of 500 blocks ran")
        return "\(done.value)"
    }

    /// Blocks that wait make Dispatch start threads, up to what the sandbox allows.
    private static func blockingBlocks() throws -> String {
        let (group, done) = (DispatchGroup(), Count())
        for _ in 0..<200 {
            DispatchQueue.global().async(group: group) {
                Thread.sleep(forTimeInterval: 0.005)
                done.increase()
            }
        }
        try wait(for: group, "200 blocks that wait")
        return "\(done.value)"
    }

    private static func concurrentPerform() throws -> String {
        let done = Count()
        DispatchQueue.concurrentPerform(iterations: 1_000) { _ in done.increase() }
        try expect(done.value == 1_000, "\(done.value) of 1000")
        return "\(done.value)"
    }

    private static func barriers() throws -> String {
        let queue = DispatchQueue(label: "org.opencallkit.test.barriers", attributes: .concurrent)
        let (group, done) = (DispatchGroup(), Count())
        for number in 0..<200 {
            queue.async(group: group, flags: number.isMultiple(of: 10) ? .barrier : []) { done.increase() }
        }
        try wait(for: group, "200 blocks with barriers")
        return "\(done.value)"
    }

    private static func timers() throws -> String {
        let group = DispatchGroup()
        let sources = (0..<50).map { number in
            let source = DispatchSource.makeTimerSource(queue: .global())
            group.enter()
            source.setEventHandler {
                source.cancel()
                group.leave()
            }
            source.schedule(deadline: .now() + .milliseconds(number), leeway: .milliseconds(1))
            source.activate()
            return source
        }
        try wait(for: group, "50 timers")
        return "\(sources.count)"
    }

    private static func pipeSource() throws -> String {
        let (pipe, group) = (Pipe(), DispatchGroup())
        let source = DispatchSource.makeReadSource(
            fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global())
        group.enter()
        source.setEventHandler {
            source.cancel()
            group.leave()
        }
        source.activate()
        try pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8))
        try wait(for: group, "a pipe")
        return "read"
    }

    private static func threads() throws -> String {
        let (group, done) = (DispatchGroup(), Count())
        let threads = (0..<32).map { _ in
            group.enter()
            let thread = Thread {
                Thread.sleep(forTimeInterval: 0.01)
                done.increase()
                group.leave()
            }
            thread.qualityOfService = .userInitiated
            thread.stackSize = 1 << 20
            return thread
        }
        for thread in threads { thread.start() }
        try wait(for: group, "32 threads")
        return "\(done.value)"
    }

    /// A hundred threads that wait at the same time take a hundred stacks.
    private static func waitingThreads() throws -> String {
        let (beginning, group) = (DispatchGroup(), DispatchGroup())
        let (started, end) = (Count(), DispatchSemaphore(value: 0))
        for _ in 0..<100 {
            beginning.enter()
            group.enter()
            Thread {
                started.increase()
                beginning.leave()
                end.wait()
                group.leave()
            }.start()
        }
        let areStarted = beginning.wait(timeout: .now() + 10) == .success
        let count = started.value
        for _ in 0..<100 { end.signal() }
        try expect(areStarted, "\(count) of 100 threads were started")
        try wait(for: group, "100 threads that wait")
        return "\(count)"
    }

    /// All threads of a queue wait for a block that comes after them: Dispatch has to see that, and to start another.
    private static func blockedQueue() throws -> String {
        let (group, end) = (DispatchGroup(), DispatchSemaphore(value: 0))
        for _ in 0..<4 { DispatchQueue.global(qos: .utility).async(group: group) { end.wait() } }
        DispatchQueue.global(qos: .utility).async(group: group) { for _ in 0..<4 { end.signal() } }
        try wait(for: group, "a block behind four that wait for it")
        return "unblocked"
    }

    private static func threadRunLoop() throws -> String {
        let (group, fired) = (DispatchGroup(), Count())
        group.enter()
        Thread {
            let timer = Timer(timeInterval: 0.005, repeats: true) { _ in fired.increase() }
            RunLoop.current.add(timer, forMode: .default)
            while fired.value < 3 {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
            }
            timer.invalidate()
            group.leave()
        }.start()
        try wait(for: group, "a run loop of a thread")
        return "\(fired.value)"
    }
}
