// PluginWorker: the worker's side of the link to callkitd: Hello, and the end.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Synchronization

/// Opens the link, sends Hello, makes the plugin's object, and ends the loop when the link closes.
@LoopActor
final class PluginWorker {
    private let session = SDKSession.current
    private let makePlugin: @MainActor @Sendable () -> Any
    private var mainQueue: MainQueueWatch?
    private var link: PrivateLink?
    private nonisolated let code = Mutex(ProgramExit.success)

    nonisolated init(_ makePlugin: @escaping @MainActor @Sendable () -> Any) { self.makePlugin = makePlugin }

    /// The exit code of the worker: success, failure or refused.
    nonisolated var exitCode: CInt { code.withLock { $0.rawValue } }

    func start(_ descriptor: CInt) {
        do {
            mainQueue = try MainQueueWatch()
            let link = try PrivateLink(descriptor: descriptor)
            self.link = link
            link.onClosed = { [weak self] reason in
                switch reason {
                case .closedHere, .peerClosed: self?.end(.success)
                case .garbage, .queueFull, .failed: self?.end(.failure, "the link to callkitd broke: \(reason)")
                }
            }
            session.connection.serveWorker(of: session)
            session.connection.attach(link)
            sayHello()
        } catch {
            end(.failure, "the link to callkitd cannot be used: \(error)")
        }
    }

    private func sayHello() {
        let (session, host) = (session, session.connection)
        host.call(
            at: host.root, Contract.workerHost, ProviderMember.System.hello, Contract.protocolVersion,
            OpenCallKitVersion.text,
            PluginNoteSection.toolchain
        ) { result in
            do {
                let answer = try result.get().read(VariantDictionary.self)
                let place = try PluginMain.Place(answer)
                session.place.withLock { $0 = place }
                if !place.identifier.isEmpty { host.programName = place.identifier }
                let make = self.makePlugin
                DispatchQueue.main.async {
                    let plugin = Confined(make())
                    session.plugin.withLock { $0 = plugin }
                }
            } catch {
                self.end(.refused, "callkitd refused this plugin: \(error)")
            }
        }
    }

    private func end(_ exit: ProgramExit, _ reason: String? = nil) {
        if let reason { Diagnostics.note(reason) }
        code.withLock { if $0 == .success { $0 = exit } }
        Loop.shared.stop()
    }
}
