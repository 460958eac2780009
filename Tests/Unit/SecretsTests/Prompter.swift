// Prompter: the user in front of gnome-keyring's questions.

import DBus
import EventLoop
import TestSupport

/// Owns the name of the program that shows gnome-keyring's questions, and answers them only when a test wants it.
@LoopActor
final class Prompter {
    /// A value for each question.
    let questions = Inbox<Bool>()
    /// A value for each question that is taken back.
    let withdrawals = Inbox<Bool>()
    private let bus: Bus
    private let tree = ObjectTree()
    private var open: (sender: String, callback: ObjectPath)?

    private static let path: ObjectPath = "/org/gnome/keyring/Prompter"
    private static let name = "org.gnome.keyring.internal.Prompter"
    private static let callback = "org.gnome.keyring.internal.Prompter.Callback"

    init(on privateBus: PrivateBus) async throws {
        bus = try await Bus.connect(to: privateBus.address)
        tree.export(self, at: Self.path, Self.interface)
        tree.serve(on: bus)
        _ = try await bus.requestName("org.gnome.keyring.SystemPrompter")
    }

    private static let interface = Interface<Prompter>(name) {
        Method("BeginPrompting", in: ["callback"]) { (user: Prompter, context, callback: ObjectPath) in
            user.open = (context.message.sender ?? "", callback)
            // After the reply to this call.
            Loop.shared.post { user.tell("PromptReady", "", VariantDictionary(), "") }
        }
        Method("PerformPrompt", in: ["callback", "type", "properties", "exchange"]) {
            (user: Prompter, _, _: ObjectPath, _: String, _: VariantDictionary, _: String) in
            user.questions.put(true)
        }
        Method("StopPrompting", in: ["callback"]) { (user: Prompter, _, _: ObjectPath) in
            user.withdrawals.put(true)
            user.tell("PromptDone")
        }
    }

    /// Answers the question with no.
    func dismiss() { tell("PromptReady", "no", VariantDictionary(), "") }

    private func tell<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        guard let open else { return }
        let call = try? Message.call(
            to: open.sender, at: open.callback, Self.callback, member, repeat each arguments)
        if let call { bus.call(call, timeout: .seconds(25)) { _ in } }
    }
}
