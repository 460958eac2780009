// PhoneLinks: asks the user before a tel:, sip:, sips: or callto: link becomes a call.

import CallClient
import CallModel
import DBus
import EventLoop
import Logging

/// Takes links from browsers and other programs, and shows each as a question. Only an answer of the user starts a call.
@LoopActor
final class PhoneLinks: DesktopPart {
    let name = "links"

    /// A question that waits for its answer.
    private struct Question {
        let link: String
        let providers: [LinkProvider]
        let expiry: LoopTimer
    }

    /// The most questions at a time, those that are being prepared included.
    private static let maximumQuestions = 3
    /// The daemon may be started first, and wait for its plugins.
    private static let findTimeout = Duration.seconds(30)
    /// Longer than all the deadlines that one request can meet.
    private static let startTimeout = Duration.seconds(60)

    private let context: DesktopContext
    private let board: NotificationBoard
    private let object: PhoneApplication
    private let activation: PhoneActivation
    private weak var bus: Bus?
    /// The owner of the application's name: the phone while it runs, and otherwise this agent.
    private var owner: NameWatch?
    /// The links whose providers are being found.
    private var finding: Set<String> = []
    private var questions: [String: Question] = [:]

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
        object = PhoneApplication()
        activation = PhoneActivation(context, board)
        object.onActivate = { [weak self] in self?.activation.activate() }
        object.onOpen = { [weak self] link throws(DBusError) in try self?.open(link) }
        context.objects.export(object, at: PhoneApplication.path, PhoneApplication.interface)
        context.screenLock.observe { [weak self] in self?.showAll() }
        context.settings.observe { [weak self] in self?.showAll() }
    }

    var status: PartStatus {
        guard let bus, let name = owner?.owner, name != bus.uniqueName else {
            return owner?.owner == nil
                ? .waiting("nobody owns \(PhoneApplication.busName)")
                : .ready("links wait for the user's answer: \(questions.count)")
        }
        return .ready("another program, such as the phone, takes links")
    }

    func connected(to bus: Bus) {
        self.bus = bus
        owner = bus.watchName(PhoneApplication.busName) { _ in
        } vanished: {
        }
        // The phone takes the name while it runs, and gives it back.
        bus.requestName(PhoneApplication.busName, allowReplacement: true, queue: true) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.context.log.notice("cannot own \(PhoneApplication.busName): \(error.message)")
        }
    }

    func disconnected() {
        bus = nil
        owner = nil
        finding = []
    }

    func stop() {
        for link in Array(questions.keys) { forget(link) }
    }

    // MARK: questions

    private func open(_ link: String) throws(DBusError) {
        if questions[link] != nil { return board.showAgain(Self.key(of: link)) }
        guard !finding.contains(link) else { return }
        guard questions.count + finding.count < Self.maximumQuestions else {
            throw DBusError(
                DBusError.Name.limitsExceeded, "\(Self.maximumQuestions) links wait for the user's answer already")
        }
        finding.insert(link)
        // Which number a link means is the daemon's to say, which reads it the same way when the call is started.
        request("FindProviders", link, timeout: Self.findTimeout) { [weak self] result in
            guard let self, finding.remove(link) != nil else { return }
            found(result, for: link)
        }
    }

    private func found(_ result: Result<Message, DBusError>, for link: String) {
        do throws(DBusError) {
            let all = try result.get().read([VariantDictionary].self).map(LinkProvider.init)
            let able = all.filter { $0.flag("takes") }
            guard !able.isEmpty else {
                let isEmergency = all.contains { $0.flag("emergency") }
                let reason = all.first.map { "\($0.name): \($0.text("reason").displayable)" }
                throw DBusError(
                    DBusError.Name.failed,
                    isEmergency
                        ? "No provider here reaches the emergency services. Call them with another phone."
                        : reason ?? "There is no provider of calls.")
            }
            ask(link, Array(able.prefix(LinkProvider.maximumShown)))
        } catch {
            board.withdraw("link failure")
            board.show("link failure", .failure("Calling \(context.hidesNames ? "" : link.displayable)", error)) { _ in
            }
        }
    }

    private func ask(_ link: String, _ providers: [LinkProvider]) {
        let expiry = LoopTimer(after: context.deadlines[.question]) { [weak self] in self?.forget(link) }
        questions[link] = Question(link: link, providers: providers, expiry: expiry)
        show(link)
    }

    private func showAll() {
        for link in Array(questions.keys) { show(link) }
    }

    private func show(_ link: String) {
        guard let question = questions[link] else { return }
        let notification = DesktopNotification.question(link, question.providers, hidesNames: context.hidesNames)
        board.show(Self.key(of: link), notification) { [weak self] action in
            self?.chosen(action, for: link)
        } closed: { [weak self] in
            self?.forget(link)
        }
    }

    private func chosen(_ action: String, for link: String) {
        guard let question = questions[link] else { return }
        let provider = question.providers.first { $0.action == action }
        guard provider != nil || action == "cancel" else { return }
        forget(link)
        guard let provider else { return }
        let options: VariantDictionary = ["provider": .objectPath(provider.path("provider"))]
        request("StartCallWith", link, options, timeout: Self.startTimeout) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.board.show("link failure", .failure("Calling", error)) { _ in }
        }
    }

    private func forget(_ link: String) {
        questions[link] = nil
        board.withdraw(Self.key(of: link))
    }

    private static func key(of link: String) -> String { "link \(link)" }

    /// Calls a method of the daemon, which the bus may start.
    private func request<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeout: Duration,
        answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let bus else { throw .disconnected }
            let message = try Message.call(
                to: Contract.busName, at: DaemonPath.system, Contract.callSystem, member, repeat each arguments)
            bus.call(message, timeout: timeout, reply: answered)
        } catch {
            Loop.shared.post { answered(.failure(error)) }
        }
    }
}

/// A provider that could take the call of a link.
struct LinkProvider: Readable {
    /// The most that have buttons.
    static let maximumShown = 3
    private static let maximumLength = 32

    let properties: VariantDictionary

    init(_ properties: VariantDictionary) { self.properties = properties }

    var name: String {
        let name = text("name").displayable
        return String((name.isEmpty ? text("provider-id").displayable : name).prefix(Self.maximumLength))
    }
    /// The key of its button.
    var action: String { "call \(text("provider-id"))" }
}

extension DesktopNotification {
    /// Comes first: it has the focus, and a server may draw some of the buttons only.
    private static var cancel: Action { Action(key: "cancel", label: "Cancel") }

    /// The question whether to call. It shows the link as it is, since that is what the daemon gets.
    static func question(_ link: String, _ providers: [LinkProvider], hidesNames: Bool) -> DesktopNotification {
        if hidesNames {
            return DesktopNotification(
                title: "Call?", body: "A link asks for a call. Unlock the screen to see whom it calls.",
                actions: [cancel], category: "call", stay: .waiting)
        }
        let isEmergency = providers.contains { $0.flag("emergency") }
        let isOnly = providers.count == 1
        let calls = providers.map { Action(key: $0.action, label: isOnly ? "Call" : "Call with \($0.name)") }
        let via = isOnly ? " via \(providers[0].name)" : ""
        // What is encoded or left out in a link is not seen in it.
        let called = providers.first?.handle("handle").value.displayable ?? ""
        let reading = called.isEmpty || link.contains(called) ? "" : "\nIt calls \(called)."
        return DesktopNotification(
            title: "\(isEmergency ? "Emergency call to" : "Call") \(link.displayable)?",
            body: "A link asks for this call\(via). Nobody is called without your answer.\(reading)",
            actions: [cancel] + calls, category: "call", stay: .waiting)
    }
}
