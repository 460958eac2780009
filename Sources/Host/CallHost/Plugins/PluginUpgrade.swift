// PluginUpgrade: a new file of a plugin whose worker runs, from the scan that finds it until it takes over.

import CallCore
import CallModel
import EventLoop
import Files
import Logging
import WorkerLaunch

/// Examines a new file while the worker of the old one goes on. A file that is refused changes nothing.
@LoopActor
final class PluginUpgrade {
    /// Raw values are the words on the bus.
    enum Stage: String {
        /// It is compared with the old file, and rehearsed.
        case checking
        /// It asks for more than is granted.
        case needsConsent = "needs-consent"
        /// It takes over when the plugin has no call.
        case waiting
        case refused
    }

    private(set) var version: PluginVersion
    private(set) var stage = Stage.checking
    /// Why it does not take over; "" = no error.
    private(set) var error = ""
    private weak var plugin: Plugin?
    private let supervisor: PluginSupervisor
    private var rehearsal: PluginRehearsal?
    /// Whether a rehearsal has shown that it starts.
    private var isRehearsed = false
    private var timer: LoopTimer?

    /// How long it waits before it looks again whether a call rings that nobody is told of yet.
    private static let pause = Duration.seconds(1)

    init(of plugin: Plugin, to version: PluginVersion, _ supervisor: PluginSupervisor) {
        self.plugin = plugin
        self.version = version
        self.supervisor = supervisor
    }

    /// Looks whether the new file holds anything else than the old one.
    func begin() {
        guard let file = version.file else {
            if case .rejected(_, _, let reason) = version.candidate { refuse("\(version.candidate.path) \(reason)") }
            return
        }
        become(.checking)
        supervisor.onDisk { [weak self] in
            let contents = file.contents()
            Loop.shared.post { self?.compared(contents) }
        }
    }

    private func compared(_ contents: UInt64?) {
        guard let plugin, plugin.upgrade === self else { return }
        version.contents = contents
        // Only its date has changed, or its place.
        if contents != nil, contents == plugin.version.contents, version.says(theSameAs: plugin.version) {
            return plugin.adopt(version)
        }
        supervisor.context.log.notice(
            "plugin \(plugin.id): there is a new file; the old one goes on until it is checked")
        examine()
    }

    /// Sees whether it has the permissions that it needs, and whether it starts.
    func examine() {
        guard let plugin, plugin.upgrade === self, let file = version.file,
            version.contents != nil || stage != .checking,
            rehearsal == nil, stage != .refused
        else { return }
        let permissions = plugin.permissions(of: version)
        guard permissions.hasConsent else { return become(.needsConsent, permissions.complaint(of: plugin.id)) }
        guard !isRehearsed, version.hasProvider, !plugin.sandbox.isUnconfined else { return rest() }
        become(.checking)
        do {
            rehearsal = try plugin.sandbox.rehearse(file, permissions, demand: plugin.demand(of: version)) {
                [weak self] in self?.rehearsed($0)
            }
        } catch {
            refuse("\(error)")
        }
    }

    private func rehearsed(_ failure: String?) {
        rehearsal = nil
        guard let plugin, plugin.upgrade === self else { return }
        if let failure { return refuse(failure) }
        isRehearsed = true
        rest()
    }

    private func rest() {
        become(.waiting)
        proceed()
    }

    /// Takes over if the plugin has no call.
    func proceed() {
        guard let plugin, plugin.upgrade === self, stage == .waiting, !supervisor.context.core.isLeaving else { return }
        guard supervisor.hasCalls(plugin) else { return plugin.takeOver("its new file takes over") }
        // Of a call that does not ring after all nobody is told.
        timer = LoopTimer(after: Self.pause) { [weak self] in self?.proceed() }
    }

    private func refuse(_ reason: String) {
        if let plugin {
            supervisor.context.log.warning(
                "plugin \(plugin.id): its new file is not used: \(reason); the old one goes on")
        }
        become(.refused, reason)
    }

    private func become(_ stage: Stage, _ error: String = "") {
        self.stage = stage
        self.error = error.displayable
        if let plugin { supervisor.announce(plugin) }
    }
}
