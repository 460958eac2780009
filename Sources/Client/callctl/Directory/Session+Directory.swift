// Requests to the directory, and the progress of a load.

import CallModel
import DBus
import EventLoop

extension Session {
    nonisolated static let directory = ObjectPath(Contract.directoryPath) ?? .root
    /// The time limit for loading an extension; the daemon's own limit is shorter.
    nonisolated static let loadingMilliseconds = 900_000
    /// A load shows progress only after this time.
    nonisolated static let quietMilliseconds = 400
    nonisolated static let redrawMilliseconds = 150

    func directoryExtensions() async throws(Failure) -> [DirectoryExtension] {
        let rows: [VariantDictionary] = try await call(
            at: Self.directory, Contract.directory, "Extensions", waiting: Self.quickMilliseconds)
        return rows.map { DirectoryExtension($0) }
    }

    func directoryExtension(_ reference: String) async throws(Failure) -> DirectoryExtension {
        let all = try await directoryExtensions()
        return try Snapshot.find(
            reference, in: all, "extension", id: \.id, path: { "\(Contract.pluginsPath)/\($0.id)" })
    }

    func report(_ id: String) async throws(Failure) -> DirectoryExtension {
        let report: VariantDictionary = try await call(
            at: Self.directory, Contract.directory, "Report", id, waiting: Self.quickMilliseconds)
        return DirectoryExtension(id: id, report)
    }

    /// Performs a request that loads an extension, and shows its progress on a terminal.
    func loading(
        _ id: String, _ work: @LoopActor () async throws(Failure) -> Void
    ) async throws(Failure) -> DirectoryExtension {
        let display = ProgressDisplay(.current()) { [weak self] in try? await self?.report(id).progress }
        defer { display.stop() }
        try await work()
        while true {
            let report = try await report(id)
            guard report.isLoading else { return report }
            await Self.pause()
        }
    }

    private static func pause() async {
        let woken = Wake()
        let timer = LoopTimer(afterMilliseconds: redrawMilliseconds) { woken.now() }
        await woken.wait()
        timer.cancel()
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
        if line.width != nil { wait(Session.quietMilliseconds) }
    }

    func stop() {
        timer = nil
        line.clear()
    }

    private func wait(_ milliseconds: Int) {
        timer = LoopTimer(afterMilliseconds: milliseconds) { [weak self] in
            Task { @LoopActor [weak self] in await self?.draw() }
        }
    }

    private func draw() async {
        let progress = await ask()
        guard timer != nil else { return }
        if let progress { line.show(progress) }
        wait(Session.redrawMilliseconds)
    }
}

/// An event that happens once and can be awaited.
@LoopActor
private final class Wake {
    private var hasHappened = false
    private var waiter: CheckedContinuation<Void, Never>?

    func now() {
        hasHappened = true
        waiter?.resume()
        waiter = nil
    }

    func wait() async {
        if !hasHappened { await withCheckedContinuation { waiter = $0 } }
    }
}
