// Requests to the directory, and the progress of a load.

import CallClient
import CallModel
import DBus
import EventLoop

extension Session {
    /// The time limit for loading an extension; the daemon's own limit is shorter.
    nonisolated static let loadingTimeout = Duration.seconds(900)
    /// A load shows progress only after this time.
    nonisolated static let quietTime = Duration.milliseconds(400)
    nonisolated static let redrawPause = Duration.milliseconds(150)

    func directoryExtensions() async throws(Failure) -> [ExtensionReport] {
        let objects: ManagedObjects = try await call(
            at: DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects",
            waiting: Self.quickTimeout)
        var reports: [ExtensionReport] = []
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key })
        where interfaces[Contract.directoryExtension] != nil {
            do {
                reports.append(try await report(path.id))
            } catch {
                // Its plugin may have been removed meanwhile.
                guard error.outcome == .unknown else { throw error }
            }
        }
        return reports
    }

    func directoryExtension(_ reference: String) async throws(Failure) -> ExtensionReport {
        let all = try await directoryExtensions()
        return try Snapshot.find(
            reference, in: all, "extension", id: \.id, path: { "\(Contract.pluginsPath)/\($0.id)" })
    }

    func report(_ id: String) async throws(Failure) -> ExtensionReport {
        let path = Self.extensionPath(id)
        let properties: VariantDictionary = try await call(
            at: path, StandardInterface.properties, "GetAll", Contract.directoryExtension,
            waiting: Self.quickTimeout)
        if let known = ExtensionReport(id: id, of: properties) { return known }
        // Values that cannot be read are left out; asking for them tells why.
        return ExtensionReport(
            id: id, try await property("Report", of: Contract.directoryExtension, at: path))
    }

    nonisolated static func extensionPath(_ id: String) -> ObjectPath { DaemonPath.plugins.appending(id) ?? .root }

    /// Performs a request that loads an extension, and shows its progress on a terminal.
    func loading(
        _ id: String, _ work: @LoopActor () async throws(Failure) -> Void
    ) async throws(Failure) -> ExtensionReport {
        let display = ProgressDisplay(.current()) { [weak self] in try? await self?.report(id).progress }
        defer { display.stop() }
        try await work()
        while true {
            let report = try await report(id)
            guard report.isLoading else { return report }
            await LoopTimer.pause(for: Self.redrawPause)
        }
    }
}

/// Redraws a progress line until it is stopped.
@LoopActor
private final class ProgressDisplay {
    private var line: ProgressLine
    private var timer: LoopTimer?
    private let ask: @LoopActor () async -> Progress?

    init(_ line: ProgressLine, _ ask: @escaping @LoopActor () async -> Progress?) {
        self.line = line
        self.ask = ask
        if line.width != nil { wait(Session.quietTime) }
    }

    func stop() {
        timer = nil
        line.clear()
    }

    private func wait(_ duration: Duration) {
        timer = LoopTimer(after: duration) { [weak self] in
            Task { @LoopActor [weak self] in await self?.draw() }
        }
    }

    private func draw() async {
        let progress = await ask()
        guard timer != nil else { return }
        if let progress { line.show(progress) }
        wait(Session.redrawPause)
    }
}
