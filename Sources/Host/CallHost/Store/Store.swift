// Store: what outlives a call, and what is known of callers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// Keeps callkit-store running, has calls recorded there and callers looked up, and hands on what it says.
@LoopActor
final class Store {
    let supervisor: StoreSupervisor
    let lookUp: StoreLookUp
    private let recents: RecentsRecorder
    private let proxy: RecentsProxy
    /// The filtered calls whose rows are being written.
    private var unannounced: [CallID: (call: FilteredCall, timer: any HostTimer)] = [:]
    private let context: HostContext
    /// Called when the store has come or gone, before anything is asked or sent.
    var onChange: @LoopActor (Bool) -> Void = { _ in }
    /// Called with the store's signal that a directory has changed.
    var onDirectoryChanged: @LoopActor (Message) -> Void = { _ in }

    /// How long the signal of a filtered call waits for its row, in ms.
    private static let rowTimeout = Duration.seconds(1)

    init(_ context: HostContext, _ clients: any ClientGate, _ screening: Screeners, _ reader: RequestReader) {
        self.context = context
        supervisor = StoreSupervisor(context, clients)
        lookUp = StoreLookUp(supervisor)
        recents = RecentsRecorder(context, supervisor, screening)
        proxy = RecentsProxy(context, clients, supervisor, recents, reader)
        recents.onRow = { [weak self] in self?.rowWritten($0, $1) }
        recents.onChange = { [weak proxy] in proxy?.announceDegraded() }
        supervisor.onSignal = { [weak self] in self?.relay($0) }
        supervisor.onChange = { [weak self] in self?.changed($0) }
        supervisor.onAbsence = { [weak self] in self?.isAbsent() }
        let tree = context.tree
        tree.export(proxy, at: .recents, RecentsProxy.interface)
        tree.export(FavoritesProxy(supervisor), at: .favorites, FavoritesProxy.interface)
        tree.export(DirectoryProxy(supervisor), at: .directory, DirectoryProxy.interface, DirectoryProxy.rules)
    }

    /// Whether there is to be a store.
    var isConfigured: Bool { context.configuration.storePath != nil }

    /// Why not everything is as it should be; empty if it is.
    var degraded: String { proxy.degraded }

    func start() { supervisor.start() }

    /// Ends the store when it has written down how the last calls ended, and calls `then` when it has ended.
    func stop(then: @escaping @LoopActor () -> Void) {
        recents.drain { [weak self] in self?.supervisor.stop(then: then) }
    }

    // MARK: calls

    func opened(_ call: Call, at moment: Instant) {
        if isConfigured { recents.opened(call, at: moment) }
    }

    func changed(_ call: Call, _ changes: CallChanges, at moment: Instant) {
        if isConfigured { recents.changed(call, changes, at: moment) }
    }

    /// A call was kept from ringing: nothing else is told of it. Its signal has the row that is written for it.
    func filtered(_ call: FilteredCall) {
        context.log.info("call \(call.call) of \(call.provider) filtered: \(call.reason.rawValue) by \(call.by)")
        if supervisor.isReachable, recents.isIncluded(call.provider) {
            let end = context.clock.now.advanced(by: Self.rowTimeout)
            unannounced[call.call] = (
                call, context.clock.timer(at: end) { [weak self] in self?.rowWritten(call.call, 0) }
            )
        } else {
            announce(call, row: 0)
        }
        if isConfigured { recents.filtered(call) }
    }

    /// Announces a filtered call whose row has been written, or is not waited for any longer.
    private func rowWritten(_ call: CallID, _ row: Int64) {
        if let (call, _) = unannounced.removeValue(forKey: call) { announce(call, row: row) }
    }

    private func announce(_ call: FilteredCall, row: Int64) {
        context.tree.emit(
            CallSystemObject.callFiltered, from: .system, ObjectPath.provider(call.provider), call.reason.rawValue,
            call.by.word, row)
    }

    // MARK: providers

    /// Completes the starts of a request with the providers that the store prefers for them, and passes it on: at once if
    /// the choice is clear, or the store does not answer in time.
    func prefer(_ request: Request, then: @escaping @LoopActor (Request) -> Void) {
        let open = request.actions.firstIndex { action in
            guard case .start(_, let start) = action, start.provider == nil, start.preferred == nil else {
                return false
            }
            return !context.core.isEmergency(start.handle)
                && context.core.candidates(for: start).count { $0.reason == nil } > 1
        }
        guard let open, case .start(let call, var start) = request.actions[open], supervisor.isReachable else {
            return then(request)
        }
        let timeout = context.core.deadlines.duration(of: .lookUp)
        // The answer includes the calls of this moment.
        supervisor.preferredProvider(
            of: start.handle, for: context.core.owner(of: request), timeout: timeout,
            before: { [recents] in recents.sendAll() }
        ) { [weak self] id in
            var request = request
            start.preferred = id
            request.actions[open] = .start(call, start)
            // The later starts are left to the other rules.
            if self != nil { then(request) }
        }
    }

    /// Passes the form in which a handle is compared; nil if the store does not tell in time.
    func normalized(_ handle: Handle, then: @escaping @LoopActor (String?) -> Void) {
        guard supervisor.isReachable else { return then(nil) }
        supervisor.lookUp(handle, timeout: context.core.deadlines.duration(of: .lookUp)) { result in
            then((try? result.get())?["normalized"].flatMap(String.init(inside:)))
        }
    }

    // MARK: the store comes, speaks and goes

    /// Calls are looked up only while somebody can answer; they are recorded all the time.
    private func changed(_ isReachable: Bool) {
        onChange(isReachable)
        recents.storeChanged(isReachable: isReachable)
        proxy.storeChanged(isReachable: isReachable)
    }

    private func isAbsent() {
        if context.core.expectsLookUp { context.submit(.lookUpAvailable(false)) }
        proxy.announceDegraded()
    }

    /// What the store says unasked is said on the bus, if it is about an object of its own.
    private func relay(_ signal: Message) {
        switch (signal.path, signal.interface, signal.member) {
        case (.favorites, Contract.favorites, "Changed"), (.recents, Contract.recents, "Changed"),
            (.directory, Contract.directory, "Changed"), (.directory, Contract.rules, "Changed"):
            context.tree.relay(signal)
        case (.recents, StandardInterface.properties, "PropertiesChanged"): proxy.receive(signal)
        case (.store, Contract.store, PrivateMember.Store.directoryChanged): onDirectoryChanged(signal)
        default: break
        }
    }
}
