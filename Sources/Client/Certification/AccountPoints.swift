// AccountPoints: the points about the user's account, and about a network that an examiner can take away.

import CallModel
import EventLoop

@LoopActor
struct AccountPoints: PointGroup {
    let examination: Examination

    /// How long a provider may outlive its account.
    private static let farewell = Duration.seconds(1)

    /// How long a registration is waited for that must not come, or need not.
    private static let rest = Duration.milliseconds(500)

    func examineAccount() async throws(Unmet) -> String {
        guard examination.account != nil else {
            throw .notApplicable(examination.schema == nil ? "the plugin has no accounts" : "no --settings")
        }
        try await examination.require(.registration)
        let host = try await examination.registered()
        let asked = MonotonicTime.now
        try await requireHandover(host)
        try await examination.ready(host)
        return "ready \(MonotonicTime.now.duration(since: asked).text) after the registration"
    }

    func examineAccountRefused() async throws(Unmet) -> String {
        guard let account = examination.account, !account.secrets.isEmpty else {
            throw .notApplicable("there is no account with a secret")
        }
        try await examination.require(.account)
        let host = try await examination.begin(with: account.withWrongSecrets)
        defer { examination.drop(host) }
        _ = await host.wait(examination.options.helloTimeout + examination.options.accountTimeout) { [weak host] in
            [.failed, .ready].contains(host?.accountReport?.state) || host?.isUp != true
        }
        guard let report = host.accountReport, report.state != .connecting else {
            throw .failed(
                await examination.fate(
                    of: host, "no report of \(examination.options.accountTimeout.text) tells that it was refused"))
        }
        guard report.problem == .badCredentials else {
            throw .failed(
                "with a wrong secret the account is \(examination.describe(report)), expected bad-credentials")
        }
        // It may be registered after the report.
        _ = await host.wait(Self.rest) { [weak host] in host?.provider != nil }
        let isHonest = await host.wait(examination.options.answerTimeout) { [weak host] in
            host?.provider.map { !$0.configuration.availability.takesCalls } ?? true
        }
        guard isHonest else { throw .failed("the account was refused, and its provider is online") }
        return examination.describe(report)
    }

    func examineAccountRemoved() async throws(Unmet) -> String {
        guard let account = examination.account else { throw .notApplicable("no --settings") }
        try await examination.require(.account)
        let host = await isActiveCallPossible() ? try await activeCall().0 : try await examination.stage()
        let asked = MonotonicTime.now
        try await fulfilled(host.handOver([]), on: host)
        let isGone = await host.wait(Self.farewell - MonotonicTime.now.duration(since: asked)) { [weak host] in
            host?.provider == nil || host?.isUp != true
        }
        guard host.isUp else { throw .failed(await host.demise()) }
        guard isGone else {
            throw .failed("the provider was there \(Self.farewell.text) after its account was removed")
        }
        let elapsed = MonotonicTime.now.duration(since: asked)
        let isBack = await host.wait(Self.rest) { [weak host] in host?.provider != nil }
        guard !isBack else { throw .failed("the provider was registered again after its account was removed") }
        host.calls = [:]
        try await fulfilled(host.handOver([account]), on: host)
        try await examination.ready(host)
        return "gone after \(elapsed.text), and ready when it was added again"
    }

    /// Expects that the worker has accepted its account.
    private func requireHandover(_ host: ExaminingHost) async throws(Unmet) {
        guard let handover = host.handover else { throw .failed("there was no Hello") }
        try await fulfilled(handover, on: host)
    }

    // MARK: the network

    func examineLostNetwork() async throws(Unmet) -> String {
        guard !examination.options.loseNetwork.isEmpty, !examination.options.restoreNetwork.isEmpty else {
            throw .notApplicable("no --lose-network")
        }
        try await examination.require(.registration)
        let host = try await examination.stage()
        let asked = MonotonicTime.now
        let outcome: Result<Duration, Unmet>
        do throws(Unmet) {
            try await run(examination.options.loseNetwork, "--lose-network")
            try await expect("offline", of: host) { $0?.takesCalls != true }
            let elapsed = MonotonicTime.now.duration(since: asked)
            // A provider that is gone gets no actions.
            if host.provider != nil { try await isAnswered(try putStart(on: host), on: host) }
            outcome = .success(elapsed)
        } catch {
            outcome = .failure(error)
        }
        // In any case: the network is the user's.
        try await run(examination.options.restoreNetwork, "--restore-network")
        let loss = try outcome.get()
        let restored = MonotonicTime.now
        try await expect("online again", of: host) { $0?.takesCalls == true }
        return
            "offline after \(loss.text), and online \(MonotonicTime.now.duration(since: restored).text) after its return"
    }

    /// Waits until the provider's availability, or nil without a provider, is as expected.
    private func expect(
        _ word: String, of host: ExaminingHost, _ condition: @escaping @LoopActor (Availability?) -> Bool
    ) async throws(Unmet) {
        let isSo = await host.wait(examination.options.accountTimeout) { [weak host] in
            host?.isUp != true || condition(host?.provider?.configuration.availability)
        }
        guard isSo, host.isUp else {
            let present = host.provider?.configuration.availability.rawValue ?? "not registered"
            let silence =
                "the provider was not \(word) within \(examination.options.accountTimeout.text), it is \(present)"
            throw .failed(await examination.fate(of: host, silence))
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
            status = try await ExaminerProgram.run(command, examination.options.accountTimeout)
        } catch {
            throw .notTried("\(option): \(program) cannot be started: \(error)")
        }
        guard status == .exited(0) else { throw .notTried("\(option): \(program) \(status)") }
    }
}
