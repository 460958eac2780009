// The point about a network that goes and comes back, of an examiner who can make it do so.

import CallModel
import EventLoop

extension Examination {
    func examineLostNetwork() async throws(Unmet) -> String {
        guard !options.loseNetwork.isEmpty, !options.restoreNetwork.isEmpty else {
            throw .notApplicable("no --lose-network")
        }
        try await require(.registration)
        let host = try await stage()
        let asked = MonotonicTime.now
        let outcome: Result<Int, Unmet>
        do throws(Unmet) {
            try await run(options.loseNetwork, "--lose-network")
            try await expect("offline", of: host) { $0?.takesCalls != true }
            let elapsed = MonotonicTime.now.milliseconds(since: asked)
            // A provider that is gone gets no actions.
            if host.provider != nil { try await isAnswered(try putStart(on: host), on: host) }
            outcome = .success(elapsed)
        } catch {
            outcome = .failure(error)
        }
        // In any case: the network is the user's.
        try await run(options.restoreNetwork, "--restore-network")
        let loss = try outcome.get()
        let restored = MonotonicTime.now
        try await expect("online again", of: host) { $0?.takesCalls == true }
        return
            "offline after \(loss) ms, and online \(MonotonicTime.now.milliseconds(since: restored)) ms after its return"
    }

    /// Waits until the provider's availability, or nil without a provider, is as expected.
    private func expect(
        _ word: String, of host: ExaminingHost, _ condition: @escaping @LoopActor (Availability?) -> Bool
    ) async throws(Unmet) {
        let isSo = await host.wait(options.accountPatience) { [weak host] in
            host?.isUp != true || condition(host?.provider?.configuration.availability)
        }
        guard isSo, host.isUp else {
            let present = host.provider?.configuration.availability.rawValue ?? "not registered"
            let silence = "the provider was not \(word) within \(options.accountPatience) ms, it is \(present)"
            throw .failed(await fate(of: host, silence))
        }
    }

    /// Expects any answer in time: without its network a plugin may not keep the user waiting.
    private func isAnswered(_ question: PendingAnswer, on host: ExaminingHost) async throws(Unmet) {
        let answer = await question.answer()
        guard answer.isGiven else {
            throw .failed("without its network: \(await describe(answer, question.subject, host))")
        }
    }

    /// Runs a program of the examiner to its end.
    private func run(_ command: [String], _ option: String) async throws(Unmet) {
        guard let program = command.first else { return }
        let status: ExitStatus
        do throws(SystemError) {
            status = try await ExaminerProgram.run(command, options.accountPatience)
        } catch {
            throw .notTried("\(option): \(program) cannot be started: \(error)")
        }
        guard status == .exited(0) else { throw .notTried("\(option): \(program) \(status)") }
    }
}
