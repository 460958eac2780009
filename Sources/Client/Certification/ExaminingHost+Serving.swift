// The root object of the scripted host: Hello and the registration.

import CallModel
import CallWire
import DBus
import EventLoop
import WorkerLaunch

extension ExaminingHost {
    static let workerInterface = Interface<ExaminingHost>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (host: ExaminingHost, _, version: UInt32, sdkVersion: String, _: String) -> VariantDictionary in
            try host.greet(version, sdkVersion)
        }
        Method(ProviderMember.System.observe, in: ["observing"]) { (_: ExaminingHost, _, _: Bool) in }
        Method(ProviderMember.System.reportSecondAnswer, in: ["action_id"]) { (host: ExaminingHost, _, id: String) in
            host.noteSecondAnswer(to: id)
        }
        Method(ProviderMember.System.reportAccount, in: ["account", "state", "problem", "text"]) {
            (host: ExaminingHost, _, account: String, state: String, problem: String, text: String) in
            try host.note(state, problem, text, of: account)
        }
    }

    static let systemInterface = Interface<ExaminingHost>(Contract.callSystem) {
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (host: ExaminingHost, _, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            try host.register(delegate, configuration)
        }
        Method(
            ProviderMember.System.requestTransaction, in: ["actions", "options"], out: ["transaction", "calls"]
        ) { (_: ExaminingHost, _, _: [TransactionWire.Entry], _: VariantDictionary) -> (String, [ObjectPath]) in
            throw CallError(.invalidAction, "a plugin that is being certified cannot request calls")
        }
    }

    private func greet(_ version: UInt32, _ sdkVersion: String) throws(CallError) -> VariantDictionary {
        guard greeting == nil else {
            throw refuse("Hello", CallError(.invalidAction, "Hello was sent before"))
        }
        greeting = Greeting(version: version, sdkVersion: sdkVersion.displayable)
        somethingHappened()
        guard version == Contract.protocolVersion else {
            throw CallError(.notSupported, "protocol \(version) is not supported")
        }
        // The reply to Hello comes first.
        Loop.shared.post { [weak self] in self?.begin() }
        return [
            "protocol": .uint32(Contract.protocolVersion), "host-version": .string(OpenCallKitVersion.text),
            "plugin-id": .string(file.id), "resource-directory": .string(file.resourceDirectory),
            "permissions": Variant(granted.sorted().map(\.text)),
        ]
    }

    private func register(_ delegate: ObjectPath, _ wire: VariantDictionary) throws(CallError) -> ObjectPath {
        do throws(CallError) {
            guard greeting != nil else { throw CallError(.accessDenied, "the worker has not sent Hello") }
            guard delegate != .root else { throw CallError(.invalidArguments, "the delegate's path is /") }
            let configuration = try ProviderConfiguration(wire: wire)
            registrations += 1
            let element = registrations == 1 ? file.id : "\(file.id)_\(registrations)"
            let path = ObjectPath.providers.appending(element) ?? Self.root
            let provider = ExaminedProvider(self, at: path, delegate, configuration)
            export(provider)
            registered.append(provider)
            // The reply comes first, so that the provider knows its object when it begins.
            Loop.shared.post { [weak self] in self?.notify(ProviderMember.Delegate.begin, at: delegate) }
            somethingHappened()
            return path
        } catch {
            refusedRegistration = error
            somethingHappened()
            throw error
        }
    }

    /// Notes an invalid report of the plugin, and returns the error to answer.
    func refuse(_ report: String, _ error: CallError) -> CallError {
        log.add(.refusedReport(member: report, error))
        return error
    }
}
