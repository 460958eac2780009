// CallNotifications: shows calls that ring and that go on, missed calls, and questions about plugins.

import CallClient
import CallModel
package import DBus
package import EventLoop

/// A notification for each ringing call, and the other notifications of calls.
@LoopActor
package final class CallNotifications: DesktopPart {
    package let name = "notifications"

    private let context: DesktopContext
    private let server = NotificationServer()
    /// Shared with all that asks or tells the user.
    let board: NotificationBoard
    private let ongoing: OngoingCalls
    private let missed: MissedCallNotifications
    private let questions: PluginQuestions
    private let banner: RepeatedBanner
    /// Calls that were shown, whose keys are withdrawn when they no longer ring.
    private var shown: Set<ObjectPath> = []

    package init(_ context: DesktopContext) {
        self.context = context
        board = NotificationBoard(server, NotificationJournal(environment: context.environment), context.deadlines)
        ongoing = OngoingCalls(context, board)
        missed = MissedCallNotifications(context, board)
        questions = PluginQuestions(context, board)
        banner = RepeatedBanner(wait: context.deadlines[.banner]) { [board] in board.postAnew($0) }
        context.model.observe { [weak self] change in
            self?.update()
            self?.ongoing.handle(change)
            self?.missed.handle(change)
            self?.questions.handle(change)
        }
        context.screenLock.observe { [weak self] in
            self?.updateAll()
            self?.questions.update()
            if self?.context.screenLock.isLocked == false {
                self?.board.remind()
                self?.banner.restart()
            }
        }
        context.settings.observe { [weak self] in self?.updateAll() }
        ongoing.onFailure = { [weak self] action, error in self?.tell(action, error) }
        missed.onFailure = { [weak self] action, error in self?.tell(action, error) }
        questions.onFailure = { [weak self] action, error in self?.tell(action, error) }
    }

    package var status: PartStatus {
        if let complaint = context.notificationSwitch.complaint { return .waiting(complaint) }
        return server.description.map { .ready($0) }
            ?? .waiting("no notification server; the first call may start one")
    }

    /// With what the user's last click entitles a window to come to the front.
    package var activationToken: String { server.activationToken }

    package func connected(to bus: Bus) { server.connected(to: bus) }

    package func disconnected() { server.disconnected() }

    package func stop() { board.withdrawAll() }

    private func updateAll() {
        update()
        ongoing.update()
        missed.update()
    }

    private func update() {
        let ringing = context.model.state.calls.values.filter { $0.state == .ringing }
        for path in shown.subtracting(ringing.map(\.path)) {
            shown.remove(path)
            board.withdraw(path.text)
        }
        // Who calls is read right after the call has appeared.
        let identified = ringing.filter(\.isIdentified).sorted { $0.order < $1.order }
        for call in identified {
            let path = call.path
            shown.insert(path)
            board.show(path.text, .incoming(call, context)) { [weak self] in
                self?.chosen($0, path)
            } closed: { [weak self] in
                self?.silence()
            }
        }
        banner.update(identified.map(\.path.text))
    }

    // MARK: actions

    private func chosen(_ action: String, _ path: ObjectPath) {
        banner.stop()
        // A notification may be older than what the call allows now: the daemon decides.
        switch action {
        case "answer", "hold-and-answer": request("Answering", path, "Answer")
        case "end-and-answer":
            request("Answering", path, "AnswerWith", ["conflict": "end"] as VariantDictionary)
        case "decline": request("Declining", path, "Reject", "")
        case DesktopNotification.silence.key: silence()
        default: break
        }
    }

    private func silence() {
        banner.stop()
        context.model.request(DaemonPath.system, Contract.callSystem, "SilenceRinging") { _ in }
    }

    private func request<each Argument: DBusType>(
        _ action: String, _ path: ObjectPath, _ member: String, _ arguments: repeat each Argument
    ) {
        context.model.request(path, Contract.call, member, repeat each arguments) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.tell(action, error)
            self?.board.showAgain(path.text)
        }
    }

    private func tell(_ action: String, _ error: DBusError) {
        board.withdraw("failure")
        board.show("failure", .failure(action, error)) { _ in }
    }
}
