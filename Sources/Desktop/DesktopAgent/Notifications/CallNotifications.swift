// CallNotifications: shows calls that ring, held calls that could go on, missed calls, and questions about plugins.

import CallClient
import CallModel
package import DBus
package import EventLoop

/// A notification for each ringing call and for the call that could be resumed.
@LoopActor
package final class CallNotifications: DesktopPart {
    package let name = "notifications"

    private let context: DesktopContext
    private let server = NotificationServer()
    /// Shared with all that asks or tells the user.
    let board: NotificationBoard
    private let missed: MissedCallNotifications
    private let questions: PluginQuestions
    /// Calls that were shown, whose keys are withdrawn when they no longer ring.
    private var shown: Set<ObjectPath> = []
    private var resumable = ObjectPath.root

    package init(_ context: DesktopContext) {
        self.context = context
        board = NotificationBoard(server, NotificationJournal(environment: context.environment))
        missed = MissedCallNotifications(context, board)
        questions = PluginQuestions(context, board)
        context.model.observe { [weak self] change in
            self?.update()
            self?.missed.handle(change)
            self?.questions.handle(change)
        }
        context.screenLock.observe { [weak self] in
            self?.update()
            self?.missed.update()
            self?.questions.update()
        }
        context.settings.observe { [weak self] in
            self?.update()
            self?.missed.update()
        }
        missed.onFailure = { [weak self] action, error in self?.tell(action, error) }
        questions.onFailure = { [weak self] action, error in self?.tell(action, error) }
    }

    package var status: PartStatus {
        server.description.map { .ready($0) } ?? .waiting("no notification server; the first call may start one")
    }

    /// With what the user's last click entitles a window to come to the front.
    package var activationToken: String { server.activationToken }

    package func connected(to bus: Bus) { server.connected(to: bus) }

    package func disconnected() { server.disconnected() }

    package func stop() { board.withdrawAll() }

    private var isAnonymous: Bool { context.screenLock.isLocked && !context.settings.values.showsNamesWhenLocked }

    private func update() {
        let state = context.model.state
        let ringing = state.calls.values.filter { $0.state == "ringing" }
        for path in shown.subtracting(ringing.map(\.path)) {
            shown.remove(path)
            board.withdraw(path.text)
        }
        // Who calls is read right after the call has appeared.
        for call in ringing where call.isIdentified {
            shown.insert(call.path)
            let path = call.path
            board.show(
                path.text, .incoming(call, provider: provider(of: call), isAnonymous: isAnonymous)
            ) { [weak self] in self?.chosen($0, path) }
        }
        updateResumable()
    }

    private func updateResumable() {
        let path = context.model.state.root.path("SuggestedResume")
        if path != resumable { board.withdraw("resume") }
        resumable = path
        guard let call = context.model.state.calls[path], call.isIdentified else { return }
        board.show("resume", .resume(call, provider: provider(of: call), isAnonymous: isAnonymous)) { [weak self] _ in
            self?.request("Resuming", path, "SetHeld", false, shownAs: "resume")
        }
    }

    private func provider(of call: Record) -> String {
        let path = call.path("Provider")
        let name = context.model.state.providers[path]?.text("LocalizedName") ?? ""
        return name.isEmpty ? Record.id(of: path) : name
    }

    // MARK: actions

    private func chosen(_ action: String, _ path: ObjectPath) {
        // A notification may be older than what the call allows now: the daemon decides.
        switch action {
        case "answer", "hold-and-answer": request("Answering", path, "Answer")
        case "end-and-answer":
            request("Answering", path, "AnswerWith", ["conflict": "end"] as VariantDictionary)
        case "decline": request("Declining", path, "Reject", "")
        case "default":
            context.model.request(DaemonPath.system, Contract.callSystem, "SilenceRinging") { _ in }
        default: break
        }
    }

    private func request<each Argument: DBusType>(
        _ action: String, _ path: ObjectPath, _ member: String, _ arguments: repeat each Argument,
        shownAs key: String? = nil
    ) {
        context.model.request(path, Contract.call, member, repeat each arguments) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.tell(action, error)
            self?.board.showAgain(key ?? path.text)
        }
    }

    private func tell(_ action: String, _ error: DBusError) {
        board.withdraw("failure")
        board.show("failure", .failure(action, error)) { _ in }
    }
}
