// DirectoryWorker: the worker's side of one request for the entries of a directory.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Glibc
internal import Synchronization

/// Opens the link, sends Hello, asks the directory for its entries, and ends the process when the request is over or the
/// link closes.
@LoopActor
final class DirectoryWorker {
    private let makeDirectory: @Sendable () -> CXCallDirectoryProvider
    private var link: PrivateLink?

    nonisolated init(_ makeDirectory: @escaping @Sendable () -> CXCallDirectoryProvider) {
        self.makeDirectory = makeDirectory
    }

    func start(_ descriptor: CInt) {
        do throws(DBusError) {
            let link = try PrivateLink(descriptor: descriptor)
            self.link = link
            link.onClosed = { reason in
                switch reason {
                case .closedHere, .peerClosed: Self.exit(.success)
                case .garbage, .queueFull, .failed: Self.exit(.failure, "the link to callkit-store broke: \(reason)")
                }
            }
            sayHello(link)
        } catch {
            Self.exit(.failure, "the link to callkit-store cannot be used: \(error)")
        }
    }

    private func sayHello(_ link: PrivateLink) {
        let hostLink = DirectoryLink(link)
        hostLink.call(
            ProviderMember.Directory.hello, Contract.protocolVersion, OpenCallKitVersion.text,
            PluginNoteSection.toolchain
        ) { [makeDirectory] result in
            do {
                let answer = try result.get().read(VariantDictionary.self)
                let place = try PluginMain.Place(answer)
                SDKSession.current.place.withLock { $0 = place }
                let isIncremental: Bool = try answer.value("incremental") ?? false
                Self.queue.async {
                    let request = Request(directory: makeDirectory(), isIncremental: isIncremental, sink: hostLink)
                    // The request may be completed long after this returns, and its delegate is most often the directory.
                    hostLink.keep(Confined(request))
                    request.directory.beginRequest(with: request.context)
                }
            } catch {
                Self.exit(.refused, "callkit-store refused this plugin: \(error)")
            }
        }
    }

    private static nonisolated let queue = DispatchQueue(label: "org.opencallkit.CXCallDirectoryProvider")

    private static nonisolated func exit(_ code: ProgramExit, _ reason: String? = nil) {
        if let reason { Diagnostics.note(reason) }
        fflush(nil)
        // Not exit(): it would run destructors while threads of the directory still run.
        _exit(code.rawValue)
    }
}

/// The objects that live as long as a request.
private final class Request {
    let directory: CXCallDirectoryProvider
    let context: CXCallDirectoryExtensionContext

    init(directory: CXCallDirectoryProvider, isIncremental: Bool, sink: any DirectorySink) {
        self.directory = directory
        context = CXCallDirectoryExtensionContext(isIncremental: isIncremental, sink: sink)
    }
}
