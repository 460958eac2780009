// A supervised process that does not answer is killed, started again, and stopped.

import EventLoop
import Glibc
import TestSupport
import Testing
import WorkerLaunch

@testable import CallHost
@testable import DBus

@Suite(.timeLimit(.minutes(15))) @LoopActor struct SupervisedProcessTests {
    /// Runs `sleep`, which reads nothing from its link.
    private final class Owner: SupervisedProcessDelegate {
        let process: SupervisedProcess
        let events = Inbox<String>()

        init(pingDeadline: Duration = .milliseconds(50), startDeadline: Duration? = nil) {
            process = SupervisedProcess(
                BackOff(pauses: [.zero], limit: 2), pingDeadline: pingDeadline, startDeadline: startDeadline)
            process.delegate = self
        }

        func launch(
            onExit: @escaping @LoopActor (LinkedProcess, EventLoop.ExitStatus) -> Void
        ) throws -> LinkedProcess {
            try LinkedProcess("/bin/sleep", ["600"], environment: [:], onExit: onExit)
        }
        func started(on link: PrivateLink) { events.put("started") }
        func answeredPing() { events.put("answered") }
        func linkClosed() { events.put("closed") }
        func ended(_ end: SupervisedProcess.End) {
            switch end {
            case .stopped: events.put("stopped")
            case .notStarted: events.put("not started")
            case .failed(let status, let reason): events.put("\(status): \(reason ?? "")")
            }
        }
    }

    nonisolated init() { Loop.shared.start() }

    @Test func aProcessThatDoesNotAnswerIsKilledAndStartedAgain() async throws {
        let owner = Owner()
        owner.process.start()
        #expect(try await owner.events.next() == "started")
        let first = owner.process.pid
        owner.process.ping()
        owner.process.ping()
        #expect(try await owner.events.next() == "closed")
        let hung = "ended by signal 9 (SIGKILL): hung: a ping was not answered in 50 ms"
        #expect(try await owner.events.next() == hung)
        #expect(owner.process.startAgain() == .zero)
        #expect(try await owner.events.next() == "started")
        #expect(owner.process.pid != first)
        // The ping of the first process does not keep the second from being watched.
        owner.process.ping()
        #expect(try await owner.events.next() == "closed")
        #expect(try await owner.events.next() == hung)
        #expect(owner.process.startAgain() == nil)
    }

    @Test func theFirstAnswerHasADeadlineOfItsOwn() async throws {
        let owner = Owner(pingDeadline: .seconds(600), startDeadline: .milliseconds(60))
        owner.process.start()
        #expect(try await owner.events.next() == "started")
        owner.process.ping()
        #expect(try await owner.events.next() == "closed")
        #expect(try await owner.events.next() == "ended by signal 9 (SIGKILL): hung: a ping was not answered in 60 ms")
    }

    @Test func aProcessThatSaysSomethingHasMoreTime() async throws {
        let owner = Owner()
        owner.process.start()
        #expect(try await owner.events.next() == "started")
        let link = try #require(owner.process.link)
        let signal = try Message.signal(from: .root, "org.example.Slow", "Busy").marshalled()
        var timer: LoopTimer?
        func talk() {
            signal.withUnsafeBytes { link.receive($0) }
            timer = LoopTimer(after: .milliseconds(1)) { talk() }
        }
        talk()
        owner.process.ping()
        #expect(try await owner.events.next() == "closed")
        timer?.cancel()
        #expect(try await owner.events.next() == "ended by signal 9 (SIGKILL): hung: a ping was not answered in 250 ms")
    }

    @Test func aProcessThatIsStoppedDidNotFail() async throws {
        let owner = Owner()
        owner.process.start()
        #expect(try await owner.events.next() == "started")
        owner.process.stop()
        owner.process.kill("too late")
        #expect(try await owner.events.next() == "closed")
        #expect(try await owner.events.next() == "stopped")
        #expect(!owner.process.isRunning)
    }
}
