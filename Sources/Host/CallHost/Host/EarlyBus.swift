// EarlyBus: what comes over the bus before the plugins and the store have introduced themselves.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// What started the daemon by D-Bus activation arrives before any plugin has registered a provider. A request that nobody
/// takes at that moment waits until somebody does, or until no plugin is awaited any more, and so does the question who
/// would take it. A question for objects or properties waits for the store, and for what plugins register at once. None
/// waits beyond the end of the daemon's start.
@LoopActor
final class EarlyBus {
    /// How long after its start, in µs, the daemon waits for the providers of its plugins.
    private static let longestStart: UInt64 = 1_000_000
    /// The most requests, and the most questions.
    private static let capacity = 256
    /// Of one program or plugin.
    private static let share = 16

    private let context: HostContext
    /// Whether a plugin was started and has no provider yet.
    var arePluginsAwaited: @LoopActor () -> Bool = { false }
    /// Whether a plugin was started, and may register a provider at once or has an account to connect.
    var areObjectsAwaited: @LoopActor () -> Bool = { false }
    /// Whether the store is being started for the first time.
    var isStoreAwaited: @LoopActor () -> Bool = { false }
    private var end: Instant?
    private var requests: [(request: Request, answer: @LoopActor (Reply) -> Void)] = []
    private var questions: [(kind: Question, ask: @LoopActor () -> Void)] = []
    private var timer: (any HostTimer)?

    init(_ context: HostContext) { self.context = context }

    /// The plugins have been started.
    func begin() {
        let now = context.clock.now
        end = Instant(uptime: now.uptime + Self.longestStart, date: now.date + Self.longestStart)
    }

    /// Answers and submits what need not wait any more: a provider is there, a plugin has failed, time is over.
    func admit() {
        admitQuestions()
        admitRequests()
        if questions.isEmpty, requests.isEmpty { timer = nil }
    }

    /// The end of the daemon's start; nil if it is over or has not begun.
    private var currentEnd: Instant? {
        guard let end else { return nil }
        if context.clock.now.uptime < end.uptime { return end }
        self.end = nil
        return nil
    }

    private func awaitEnd(_ end: Instant) {
        if timer == nil { timer = context.clock.timer(at: end) { [weak self] in self?.admit() } }
    }

    // MARK: requests

    /// Keeps a request that nobody takes yet.
    /// - Returns: false if it is to be submitted now.
    func keep(_ request: Request, answer: @escaping @LoopActor (Reply) -> Void) -> Bool {
        guard requests.count < Self.capacity, isTooEarly(for: request), let end else { return false }
        let owner = context.core.owner(of: request)
        let own = requests.count { context.core.owner(of: $0.request) == owner }
        guard own < Self.share else {
            let text = "\(owner) \(owner.has) \(own) requests that wait, expected at most \(Self.share)"
            answer(.failed(CallError(.limitsExceeded, text)))
            return true
        }
        requests.append((request, answer))
        awaitEnd(end)
        return true
    }

    private func admitRequests() {
        guard !requests.isEmpty else { return }
        let kept = requests
        requests = []
        for entry in kept {
            if isTooEarly(for: entry.request) {
                requests.append(entry)
            } else {
                context.ask(entry.request, then: entry.answer)
            }
        }
    }

    private func isTooEarly(for request: Request) -> Bool {
        guard currentEnd != nil, arePluginsAwaited() else { return false }
        guard case .failure(let error) = context.core.plan(request, at: context.clock.now) else { return false }
        return error.code == .unknownProvider || request.actions.contains { isUndeclared($0) }
    }

    /// Whether the action calls a URI whose scheme no provider declares yet.
    private func isUndeclared(_ action: CallAction) -> Bool {
        guard case .start(_, let start) = action else { return false }
        return !context.core.isDeclared(start)
    }

    // MARK: questions

    /// Keeps a question that cannot be answered in full yet.
    /// - Returns: false if it is to be answered now.
    func keep(_ message: Message, on channel: any MessageChannel) -> Bool {
        guard questions.count < Self.capacity, let kind = Question(message), let end = currentEnd, isTooEarly(for: kind)
        else { return false }
        questions.append(
            (
                kind,
                { [tree = context.tree, weak channel] in
                    if let channel { tree.handle(message, on: channel) }
                }
            ))
        awaitEnd(end)
        return true
    }

    private func isTooEarly(for question: Question) -> Bool {
        if isStoreAwaited() { return true }
        return switch question {
        case .objects: areObjectsAwaited()
        case .whoTakesIt: arePluginsAwaited()
        }
    }

    private func admitQuestions() {
        guard !questions.isEmpty else { return }
        let isOver = currentEnd == nil
        let kept = questions
        questions = kept.filter { !isOver && isTooEarly(for: $0.kind) }
        for question in kept where isOver || !isTooEarly(for: question.kind) { question.ask() }
    }
}

/// A question that comes early.
@LoopActor
private enum Question {
    /// For objects or properties.
    case objects
    /// Who would take a call.
    case whoTakesIt

    init?(_ message: Message) {
        switch (message.interface, message.member) {
        case (StandardInterface.objectManager, "GetManagedObjects"), (StandardInterface.properties, "Get"),
            (StandardInterface.properties, "GetAll"):
            self = .objects
        case (Contract.callSystem, "FindProviders"): self = .whoTakesIt
        default: return nil
        }
    }
}
