// PluginFarewell: the moment that a worker has to take leave of its network before it is ended.

import CallModel
import CallWire
import DBus
import EventLoop

/// Asks a worker to have its providers end what they have on the network, waits until their delegates were told, and then
/// a moment for what they have sent.
@LoopActor
final class PluginFarewell {
    /// How long the delegates may take.
    private static let deadline = Duration.seconds(1)
    /// How long the worker lives on after that if it had calls: for messages that are sent again, and for answers.
    private static let moment = Duration.milliseconds(500)

    private let link: PrivateLink?
    private let hasCalls: Bool
    private var timer: LoopTimer?
    private let end: @LoopActor () -> Void

    /// - Parameters:
    ///   - hasCalls: whether it has calls, or has had some a moment ago.
    ///   - end: ends the worker.
    init(of link: PrivateLink?, hasCalls: Bool, end: @escaping @LoopActor () -> Void) {
        self.link = link
        self.hasCalls = hasCalls
        self.end = end
    }

    /// To be called when the providers have been told that they lose their calls.
    func begin() {
        let message = try? Message.call(at: .system, Contract.workerDelegate, ProviderMember.Worker.leave)
        guard let link, link.isOpen, let message else { return end() }
        link.call(message, timeout: Self.deadline) { [self] _ in
            // A plugin of an earlier SDK does not know the message, and has its moment all the same.
            guard hasCalls, link.isOpen else { return end() }
            timer = LoopTimer(after: Self.moment) { [self] in
                timer = nil
                end()
            }
        }
    }
}
