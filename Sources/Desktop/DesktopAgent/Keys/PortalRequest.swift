// PortalRequest: a request to the desktop's portal, which is answered when the user has.

import DBus
import EventLoop

/// The portal of the desktop, as its documentation has it: a request has an object of its own, whose signal is the answer.
@LoopActor
final class PortalRequest {
    static let service = "org.freedesktop.portal.Desktop"
    static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let startTimeout = Duration.seconds(25)
    private static var lastNumber = 0

    private var subscription: Subscription?
    private var timer: LoopTimer?
    private var answered: (@LoopActor (Result<VariantDictionary, DBusError>) -> Void)?

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - timeout: how long the user has.
    ///   - message: makes the call, with these options as its last argument.
    ///   - answered: called once; with `Failed` if the user has refused, or has not answered. Dropping the request ends the waiting.
    init(
        on bus: Bus, timeout: Duration, _ message: (VariantDictionary) throws(DBusError) -> Message,
        answered: @escaping @LoopActor (Result<VariantDictionary, DBusError>) -> Void
    ) {
        self.answered = answered
        Self.lastNumber += 1
        let token = "opencallkit\(Self.lastNumber)"
        let sender = bus.uniqueName.dropFirst().replacing(".", with: "_")
        let rule = MatchRule(
            sender: Self.service, path: ObjectPath("\(Self.path)/request/\(sender)/\(token)"),
            interface: "org.freedesktop.portal.Request", member: "Response")
        subscription = bus.subscribe(rule) { [weak self] in self?.receive($0) }
        timer = LoopTimer(after: timeout) { [weak self] in
            self?.end(.failure(DBusError(DBusError.Name.failed, "nobody has answered the desktop's question")))
        }
        do throws(DBusError) {
            bus.call(
                try message(["handle_token": .string(token)]), timeout: Self.startTimeout
            ) { [weak self] result in
                if case .failure(let error) = result { self?.end(.failure(error)) }
            }
        } catch {
            Loop.shared.post { [weak self] in self?.end(.failure(error)) }
        }
    }

    private func receive(_ response: Message) {
        guard let (code, results) = try? response.read(UInt32.self, VariantDictionary.self) else { return }
        if code == 0 { return end(.success(results)) }
        let who = code == 1 ? "you have" : "the desktop has"
        end(.failure(DBusError(DBusError.Name.failed, "\(who) refused it")))
    }

    private func end(_ result: Result<VariantDictionary, DBusError>) {
        subscription = nil
        timer = nil
        let tell = answered
        answered = nil
        tell?(result)
    }
}
