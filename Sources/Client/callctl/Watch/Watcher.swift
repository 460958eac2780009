// Passes on the events of the daemon, with what must be read for them.

import CallClient
import CallModel
import DBus
import EventLoop

/// Follows the daemon and passes each event to `report`.
@LoopActor
final class Watcher {
    private let model: CallSystemModel
    private let report: @LoopActor (WatchEvent) -> Void
    private var state = WatchState()

    init(on address: String?, report: @escaping @LoopActor (WatchEvent) -> Void) {
        self.report = report
        model = CallSystemModel(on: address)
        model.observe { [weak self] change in self?.handle(change) }
        model.start()
    }

    func stop() { model.stop() }

    private func handle(_ change: CallSystemChange) {
        let events = state.events(of: change, at: .now) { model.state.calls[$0] }
        for event in events { report(event) }
        switch change {
        case .busLost, .vanished: state = WatchState()
        case .recentsChanged(let id): readRow(id)
        case .directoryChanged(let source) where source != "user": readReport(source)
        default: break
        }
    }

    /// Reads a new row of the recents: the signal carries neither the caller nor whether the call was missed.
    private func readRow(_ id: Int64) {
        guard id > 0, id < .max else { return }
        let filter: VariantDictionary = ["before": .int64(id + 1), "missed": .bool(true)]
        model.ask(DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), UInt32(1)) { [weak self] answer in
            guard let self,
                let row = try? answer.read([VariantDictionary].self).first.map(RecentCall.init(properties:)),
                row.id == UInt64(id)
            else { return }
            for event in state.row(row) { report(event) }
        }
    }

    /// Reads the report of an extension whose lists have changed.
    private func readReport(_ source: String) {
        model.ask(
            Session.extensionPath(source), StandardInterface.properties, "GetAll", Contract.directoryExtension
        ) { [weak self] answer in
            guard let self, let found = try? answer.read(VariantDictionary.self),
                let extensionReport = ExtensionReport(id: source, of: found)
            else { return }
            report(state.lists(source, extensionReport))
        }
    }
}
