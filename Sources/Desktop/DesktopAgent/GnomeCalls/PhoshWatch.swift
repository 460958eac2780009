// PhoshWatch: whether Phosh, the shell of phones, is on the session bus.

import DBus
import EventLoop

/// Follows the names that tell Phosh from other programs.
@LoopActor
final class PhoshWatch {
    /// Phosh's own: that of its portal in 0.46 (Debian 13) and in 0.24 (Debian 12), and that of its debugging, which came
    /// later.
    private static let names = ["mobi.phosh.Shell.Portal", "sm.puri.Phosh.Portal", "mobi.phosh.Shell.DebugControl"]
    /// That of its lock, which every version owns; outside of its session other desktops do.
    private static let lock = "org.gnome.ScreenSaver"

    /// Called when `owner` has changed.
    var onChange: (@LoopActor () -> Void)?
    /// The unique name of Phosh; nil while it is not there.
    private(set) var owner: String?

    private let names: [String]
    private var watches: [NameWatch] = []

    init(environment: [String: String]) {
        let isSession = SessionDesktop(environment: environment).names.contains("Phosh")
        names = Self.names + (isSession ? [Self.lock] : [])
    }

    func connected(to bus: Bus) {
        watches = names.map { name in
            bus.watchName(name) { [weak self] _ in
                self?.update()
            } vanished: { [weak self] in
                self?.update()
            }
        }
    }

    func disconnected() {
        watches = []
        owner = nil
    }

    private func update() {
        let now = watches.lazy.compactMap(\.owner).first
        guard now != owner else { return }
        // One that passes to another is told as gone first.
        if owner != nil, now != nil {
            owner = nil
            onChange?()
        }
        owner = now
        onChange?()
    }
}
