// The points about the user's account: connected, refused, and taken away.

import CallModel
import EventLoop

extension Examination {
    /// How long a provider may outlive its account, in milliseconds.
    private static let farewell = 1_000

    /// How long a registration is waited for that must not come, or need not, in milliseconds.
    private static let rest = 500

    func examineAccount() async throws(Unmet) -> String {
        guard account != nil else {
            throw .notApplicable(schema == nil ? "the plugin has no accounts" : "no --settings")
        }
        try await require(.registration)
        let host = try await registered()
        let asked = MonotonicTime.now
        try await taken(host)
        try await ready(host)
        return "ready \(MonotonicTime.now.milliseconds(since: asked)) ms after the registration"
    }

    func examineAccountRefused() async throws(Unmet) -> String {
        guard let account, !account.secrets.isEmpty else { throw .notApplicable("there is no account with a secret") }
        try await require(.account)
        let host = try await begin(with: account.withWrongSecrets)
        defer { drop(host) }
        _ = await host.wait(options.helloPatience + options.accountPatience) { [weak host] in
            [.failed, .ready].contains(host?.accountReport?.state) || host?.isUp != true
        }
        guard let report = host.accountReport, report.state != .connecting else {
            throw .failed(await fate(of: host, "no report of \(options.accountPatience) ms tells that it was refused"))
        }
        guard report.problem == .badCredentials else {
            throw .failed("with a wrong secret the account is \(describe(report)), expected bad-credentials")
        }
        // It may be registered after the report.
        _ = await host.wait(Self.rest) { [weak host] in host?.provider != nil }
        let isHonest = await host.wait(options.patience) { [weak host] in
            host?.provider.map { !$0.configuration.availability.takesCalls } ?? true
        }
        guard isHonest else { throw .failed("the account was refused, and its provider is online") }
        return describe(report)
    }

    func examineAccountRemoved() async throws(Unmet) -> String {
        guard let account else { throw .notApplicable("no --settings") }
        try await require(.account)
        let host = await isActiveCallPossible() ? try await activeCall().0 : try await stage()
        let asked = MonotonicTime.now
        try await fulfilled(host.handOver([]), on: host)
        let isGone = await host.wait(Self.farewell - MonotonicTime.now.milliseconds(since: asked)) { [weak host] in
            host?.provider == nil || host?.isUp != true
        }
        guard host.isUp else { throw .failed(await host.demise()) }
        guard isGone else { throw .failed("the provider was there \(Self.farewell) ms after its account was removed") }
        let elapsed = MonotonicTime.now.milliseconds(since: asked)
        let isBack = await host.wait(Self.rest) { [weak host] in host?.provider != nil }
        guard !isBack else { throw .failed("the provider was registered again after its account was removed") }
        host.calls = [:]
        try await fulfilled(host.handOver([account]), on: host)
        try await ready(host)
        return "gone after \(elapsed) ms, and ready when it was added again"
    }

    /// Expects that the worker has taken its account.
    private func taken(_ host: ExaminingHost) async throws(Unmet) {
        guard let handover = host.handover else { throw .failed("there was no Hello") }
        try await fulfilled(handover, on: host)
    }

    /// Expects that the account, if there is one, is reported as ready, and that the provider takes calls. Each may take as
    /// long as the network does.
    func ready(_ host: ExaminingHost) async throws(Unmet) {
        let isReady = await host.wait(options.accountPatience) { [weak host] in
            host?.isReady == true || host?.accountReport?.state == .failed || host?.isUp != true
        }
        guard isReady, host.isReady else {
            if let report = host.accountReport, report.state == .failed {
                throw .failed("the account is \(describe(report))")
            }
            let isAccount = account != nil && host.accountReport?.state != .ready
            let silence = "\(isAccount ? "the account was not ready" : "the provider was not online") "
            throw .failed(await fate(of: host, "\(silence)within \(options.accountPatience) ms"))
        }
    }

    func describe(_ report: AccountStanding) -> String {
        let words = [report.problem.rawValue, report.text].filter { !$0.isEmpty }
        return words.isEmpty ? report.state.rawValue : "\(report.state.rawValue): \(words.joined(separator: ", "))"
    }
}

extension Availability {
    /// Whether callkitd offers such a provider for calls.
    var takesCalls: Bool { self == .online }
}
