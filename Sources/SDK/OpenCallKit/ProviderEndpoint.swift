// ProviderEndpoint: one provider's end of the provider protocol.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Registers a provider, sends its reports, and takes the host's requests. Lives on the loop.
@LoopActor
final class ProviderEndpoint {
    typealias Answer = @LoopActor (Result<Message, DBusError>) -> Void
    typealias Report = @LoopActor (Result<ObjectPath, DBusError>) -> Void

    private enum Registration {
        case offline, underWay
        case done(ObjectPath)
        case over(DBusError)
    }

    /// How many reports can wait for the registration.
    private static let maximumWaiting = 1024
    /// How long they wait, in milliseconds.
    private static let patience = 25_000

    private(set) weak var provider: CXProvider?
    private var path: ObjectPath?
    private var current: ProviderConfiguration
    private var registration = Registration.offline
    /// Counts the lost hosts; answers of an earlier host are ignored.
    private var era = 0
    private var waiting: [Report] = []
    /// Dropping it cancels it.
    private var patienceTimer: AnyObject?
    let open = OpenActions()
    /// Whether a call of this provider has the audio.
    var hasAudio = false

    /// What distinguishes it from the plugin's other providers.
    var key: String { current.key }

    nonisolated init(configuration: ProviderConfiguration) {
        current = configuration
    }

    func open(for provider: CXProvider) {
        self.provider = provider
        path = HostConnection.shared.add(self)
    }

    /// The object that stands for the provider at the host; nil before it is registered.
    var hostPath: ObjectPath? { if case .done(let path) = registration { path } else { nil } }

    /// Registers with a host that has become reachable.
    func register() {
        guard case .offline = registration, let path else { return }
        registration = .underWay
        let host = HostConnection.shared
        var declared = current
        if declared.localizedName.isEmpty { declared.localizedName = host.programName }
        let era = era
        host.call(at: host.root, Contract.callSystem, ProviderMember.System.registerProvider, path, declared.wire) {
            result in
            guard self.era == era else { return }
            do throws(DBusError) {
                self.registered(at: try result.get().read(ObjectPath.self))
            } catch {
                Diagnostics.note("the provider was not registered: \(error.message)")
                guard case .underWay = self.registration else { return }
                // An unreachable host may appear later; one that refuses would refuse again.
                self.settle(host.isRemote && ErrorCode(anyName: error.name) == nil ? .offline : .over(error))
            }
        }
    }

    private func registered(at path: ObjectPath) {
        if case .underWay = registration {
            settle(.done(path))
        } else {
            // The provider was invalidated before it was registered.
            HostConnection.shared.call(at: path, Contract.providerHost, ProviderMember.Host.invalidate) { _ in }
        }
    }

    /// Forgets the host and all calls of this provider.
    func hostLost() {
        if case .over = registration { return }
        registration = .offline
        era += 1
        reset()
    }

    /// Calls `body` with the provider's object, once the host has registered it; in order.
    func whenRegistered(_ body: @escaping Report) {
        switch registration {
        case .done(let path): body(.success(path))
        case .over(let error): body(.failure(error))
        case .offline, .underWay:
            guard waiting.count < Self.maximumWaiting else {
                body(.failure(DBusError(DBusError.Name.limitsExceeded, "too many reports wait for the host")))
                return
            }
            waiting.append(body)
            guard patienceTimer == nil else { return }
            patienceTimer = HostConnection.shared.makeTimer(Self.patience) { [weak self] in
                self?.release(.failure(DBusError(DBusError.Name.noReply, "there is no connection to callkitd")))
            }
        }
    }

    func takes(_ type: HandleType) -> Bool { current.supportedHandleTypes.contains(type) }

    func update(_ configuration: ProviderConfiguration) {
        current = configuration
        var declared = configuration
        if declared.localizedName.isEmpty { declared.localizedName = HostConnection.shared.programName }
        // A later registration carries the new values.
        if case .offline = registration { return }
        report(ProviderMember.Host.updateConfiguration, declared.wire)
    }

    /// - Parameter announcing: whether the delegate is told.
    func invalidate(announcing: Bool) {
        if case .over = registration { return }
        // A provider that is being registered is invalidated after that: see `registered(at:)`.
        if hostPath != nil { report(ProviderMember.Host.invalidate) }
        settle(.over(DBusError(ErrorCode.unknownProvider.busName, "the provider was invalidated")))
        if announcing { reset() } else { forgetActions() }
        HostConnection.shared.remove(self, at: path)
        path = nil
    }

    func reset() {
        forgetActions()
        provider?.deliver { delegate, provider in delegate.providerDidReset(provider) }
    }

    private func forgetActions() {
        open.abandonAll()
        if hasAudio { AVAudioSession.sharedInstance().grant(false) }
        hasAudio = false
    }

    /// Sends a report, after those before it. Without an answer to give, a refusal is written to standard error.
    func report<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument, answer: Answer? = nil) {
        let answer =
            answer ?? { result in
                if case .failure(let error) = result { Diagnostics.note("\(member) was refused: \(error.message)") }
            }
        whenRegistered { result in
            switch result {
            case .success(let path):
                HostConnection.shared.call(
                    at: path, Contract.providerHost, member, repeat each arguments, reply: answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }

    private func settle(_ registration: Registration) {
        self.registration = registration
        switch registration {
        case .done(let path): release(.success(path))
        case .over(let error): release(.failure(error))
        case .offline, .underWay: break
        }
    }

    private func release(_ result: Result<ObjectPath, DBusError>) {
        patienceTimer = nil
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(result) }
    }
}
