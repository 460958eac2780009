// PluginSettling: when a worker has done what it does at once after its Hello.

import CallModel
import DBus
import EventLoop

/// Asks a worker that was greeted for two signs of life: the plugin's object is made between them, and what its
/// initializer registers comes before the second. A worker that hangs meanwhile is not waited for.
@LoopActor
final class PluginSettling {
    /// How long it may take.
    private static let deadline = Duration.milliseconds(400)
    private static let signs = 2

    /// Whether nothing more is expected of it at once.
    private(set) var isOver = false
    private let link: PrivateLink?
    private var timer: LoopTimer?
    private let whenOver: @LoopActor () -> Void

    init(of link: PrivateLink?, whenOver: @escaping @LoopActor () -> Void) {
        self.link = link
        self.whenOver = whenOver
    }

    /// To be called when the answer to its Hello has been sent.
    func begin() {
        timer = LoopTimer(after: Self.deadline) { [weak self] in self?.end() }
        ask(Self.signs)
    }

    private func ask(_ left: Int) {
        guard left > 0, let link, link.isOpen,
            let message = try? Message.call(at: .root, StandardInterface.peer, "Ping")
        else { return end() }
        link.call(message, timeout: Self.deadline) { [weak self] answer in
            if case .success = answer { self?.ask(left - 1) }
        }
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        timer = nil
        whenOver()
    }
}
