// PluginRehearsal: a start of a new plugin file beside the worker that takes calls, to see whether it works.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import WorkerLaunch

/// Runs one worker until it has said Hello and registered a provider, or has been idle for a moment. It hears nothing of
/// calls and accounts, and what it says beside that is not answered.
@LoopActor
final class PluginRehearsal {
    private let id: String
    private let answer: VariantDictionary
    private let words: OutputPipe
    private let hello: Duration
    private var process: LinkedProcess?
    private var timer: LoopTimer?
    private var refusal: String?
    private var saidHello = false
    private var then: (@LoopActor (String?) -> Void)?

    /// How long after its Hello a worker may take to register a provider; one that has none then is asked whether it lives.
    private static let settlingTime = Duration.seconds(2)
    private static let pingDeadline = Duration.seconds(2)

    /// - Parameters:
    ///   - hello: how long it may take to say Hello.
    ///   - permissions: what it is told that it has.
    ///   - then: called once, with why it failed, or nil.
    /// - Throws: if the worker cannot be started.
    init(
        of file: PluginFile, worker: String, policy: SandboxPolicy, permissions: [String], hello: Duration,
        then: @escaping @LoopActor (String?) -> Void
    ) throws {
        id = file.id
        self.then = then
        self.hello = hello
        answer = [
            "protocol": .uint32(Contract.protocolVersion), "host-version": .string(OpenCallKitVersion.text),
            "plugin-id": .string(file.id), "resource-directory": .string(file.resourceDirectory),
            "permissions": Variant(permissions),
        ]
        words = try OutputPipe("plugin \(file.id), new file", libraries: [LinkedProcess.libraryName: file.id])
        defer { words.closeWritingEnd() }
        let process = try LinkedProcess(
            loading: file.libraryPath, try file.open(), worker: worker, policy: policy, errors: words.writingEnd,
            onExit: { [weak self] _, status in self?.exited(status) })
        self.process = process
        serve(process.link)
        timer = LoopTimer(after: hello) { [weak self] in self?.finish("it sent no hello by the deadline") }
    }

    isolated deinit { process?.kill() }

    private func serve(_ link: PrivateLink) {
        let tree = ObjectTree(
            invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
            limitsExceededErrorName: ErrorCode.invalidArguments.busName)
        tree.export(self, at: .system, Self.introductions, Self.registrations)
        let answered: Set = [ProviderMember.System.hello, ProviderMember.System.registerProvider]
        link.onCall = { [weak link] message in
            if let link, answered.contains(message.member ?? "") { tree.handle(message, on: link) }
        }
    }

    private static let introductions = Interface<PluginRehearsal>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (object: PluginRehearsal, _, version: UInt32, _: String, _: String) -> VariantDictionary in
            try object.greet(version)
        }
    }

    private static let registrations = Interface<PluginRehearsal>(Contract.callSystem) {
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (object: PluginRehearsal, _, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            try object.register(delegate, configuration)
        }
    }

    private func greet(_ version: UInt32) throws(CallError) -> VariantDictionary {
        guard version == Contract.protocolVersion, !saidHello else {
            let reason = "it speaks protocol \(version), this host speaks \(Contract.protocolVersion)"
            finish(reason)
            throw CallError(.notSupported, reason)
        }
        saidHello = true
        timer = LoopTimer(after: Self.settlingTime) { [weak self] in self?.ping() }
        return answer
    }

    private func register(_ delegate: ObjectPath, _ wire: VariantDictionary) throws(CallError) -> ObjectPath {
        do throws(CallError) {
            try ProviderIcons.check(ProviderConfiguration(wire: wire))
            try delegate.requireCallable(as: "delegate")
        } catch {
            refusal = refusal ?? "its provider was refused: \(error.code.rawValue)"
            throw error
        }
        timer = nil
        // The reply comes first, and what the plugin does with it.
        Loop.shared.post { [weak self] in self?.ping() }
        return ObjectPath.system
    }

    private func ping() {
        guard let process, let message = try? Message.call(at: .root, StandardInterface.peer, "Ping") else { return }
        process.link.call(message, timeout: Self.pingDeadline) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: finish(refusal)
            // Its end says more.
            case .failure(let error) where !process.link.isOpen || ProviderPeer.meansGone(error): break
            case .failure: finish("it hangs: a ping was not answered in \(Self.pingDeadline.milliseconds) ms")
            }
        }
    }

    private func exited(_ status: ExitStatus) {
        let end = WorkerEnd(status, words: words.lastWords().displayable)
        finish(end.obstacle(entry: PluginPart.provider.entry) ?? "its worker \(end.text)")
    }

    private func finish(_ failure: String?) {
        timer = nil
        process?.stop()
        process = nil
        guard let then else { return }
        self.then = nil
        then(failure)
    }
}
