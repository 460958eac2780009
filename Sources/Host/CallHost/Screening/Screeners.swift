// Screeners: clients that screen calls come, are asked, and go.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

@LoopActor
final class Screeners {
    private let screeners = ScreenerBook()
    private let context: HostContext
    private unowned let clients: any ClientGate

    init(_ context: HostContext, _ clients: any ClientGate) {
        self.context = context
        self.clients = clients
    }

    /// The name that a screener gave itself; empty if it gave none.
    func name(of screener: ScreenerID) -> String { screeners.name(of: screener) }

    /// Who filtered a call, for people: a list, `do-not-disturb`, or the name that a screener gave itself.
    func name(of filter: FilteredCall.Filter) -> String {
        guard case .screener(let id) = filter else { return filter.word }
        let name = screeners.name(of: id)
        return name.isEmpty ? filter.word : name
    }

    func register(
        _ path: ObjectPath, _ options: VariantDictionary, from caller: CallContext
    ) throws(CallError) {
        let name = try options.optional("name", as: String.self) ?? ""
        clients.noteUnknownKeys(in: options, besides: ["name"], from: caller)
        try path.requireCallable(as: "screener")
        guard let client = clients.client(of: caller) else {
            throw CallError(.accessDenied, "only a client of the bus screens calls")
        }
        guard screeners.find(client, path) == nil else {
            throw CallError(.invalidArguments, "there is a screener at \(path.text.excerpt) already")
        }
        guard screeners.all.count < ScreenerBook.maximum else {
            throw CallError(
                .limitsExceeded,
                "all clients have \(screeners.all.count) screeners, expected at most \(ScreenerBook.maximum)")
        }
        let owner = clients.owner(of: client)
        let own = screeners.all.count { $0.owner == owner }
        let share = ScreenerBook.share(of: owner)
        guard own < share else {
            throw CallError(.limitsExceeded, "\(owner) \(owner.has) \(own) screeners, expected at most \(share)")
        }
        let screener = screeners.add(
            name: String(name.displayable.prefix(64)), client: client, owner: owner, path: path,
            channel: caller.channel)
        let id = screener.id
        context.log.info("client \(client) screens calls as \(id)")
        screener.watch = context.bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.lose(id) })
        context.submit(.screenerRegistered(id))
    }

    func unregister(_ path: ObjectPath, from caller: CallContext) throws(CallError) {
        guard let client = caller.sender, let screener = screeners.find(client, path) else {
            throw CallError(.invalidArguments, "the caller has no screener at \(path.text.excerpt)")
        }
        lose(screener.id)
    }

    /// The bus went away, and with it every client.
    func loseAll() {
        for screener in screeners.all { lose(screener.id) }
    }

    private func lose(_ id: ScreenerID) {
        guard screeners[id] != nil else { return }
        screeners.remove(id)
        context.submit(.screenerLost(id))
    }

    /// Asks a screener what it makes of a call. The deadline is the core's; what comes later is told it all the same.
    func screen(_ call: WaitingCall, by screener: ScreenerID) {
        guard let screener = screeners[screener] else { return }
        let handle = call.update.remoteHandle?.wire ?? Struct("", "")
        do throws(DBusError) {
            let message = try Message.call(
                to: screener.client, at: screener.path, Contract.screener, PrivateMember.Screener.screen,
                call.id.description, handle, Self.details(of: call))
            message.autoStart = false
            let question = screener.ask(about: call.id)
            screener.channel.call(message, timeout: answerTimeout) {
                [weak self, channel = screener.channel, client = screener.client, id = screener.id] result in
                channel.verify(result, by: client) { self?.screened(call.id, by: id, $0, question) }
            }
        } catch {
            context.log.error("screener \(screener.id) cannot be asked: \(error)")
        }
    }

    /// When an answer is not worth remembering any more that it may come.
    private var answerTimeout: Duration { context.core.deadlines.duration(of: .screen) + .seconds(5) }

    private func screened(
        _ call: CallID, by screener: ScreenerID, _ result: Result<Message, DBusError>, _ question: UInt64
    ) {
        let isLatest = screeners[screener]?.answers(question, about: call) ?? false
        switch result {
        case .failure(let error) where ProviderPeer.meansGone(error): lose(screener)
        // It is about a caller who is not at the far side any more.
        case _ where !isLatest: break
        case .success(let reply): context.submit(.screened(call, by: screener, verdict(in: reply, by: screener)))
        case .failure(let error) where error.name == DBusError.Name.timeout: break
        case .failure: context.submit(.screened(call, by: screener, nil))
        }
    }

    private func verdict(in reply: Message, by screener: ScreenerID) -> ScreeningVerdict? {
        guard let (text, answer) = try? reply.read(String.self, VariantDictionary.self),
            let word = ScreeningVerdict.Word(rawValue: text), let reason: String = try? answer.value("reason") ?? ""
        else { return nil }
        if let owner = screeners[screener]?.owner {
            clients.noteUnknownKeys(in: answer, besides: ["reason"], by: owner)
        }
        return ScreeningVerdict(
            word, reason: String(reason.displayable.prefix(ScreeningVerdict.maximumReasonLength)))
    }

    private static func details(of call: WaitingCall) -> VariantDictionary {
        var details: VariantDictionary = [
            "favorite": .bool(call.caller.isFavorite), "has-video": .bool(call.update.hasVideo ?? false),
        ]
        details.set("provider", ObjectPath.provider(call.provider))
        details.set("normalized", call.caller.normalized?.wire)
        if !call.callerName.isEmpty {
            details.set("caller-name", call.callerName)
            details.set("caller-name-source", call.nameSource.rawValue)
        }
        return details
    }
}

/// A client that screens calls.
@LoopActor
final class Screener {
    let id: ScreenerID
    let client: String
    let owner: Owner
    let path: ObjectPath
    let channel: any MessageChannel
    var watch: NameWatch?
    /// The number of the latest question about each call that it has not answered.
    private var questions: [CallID: UInt64] = [:]
    private var latestQuestion: UInt64 = 0

    init(_ id: ScreenerID, client: String, owner: Owner, path: ObjectPath, channel: any MessageChannel) {
        self.id = id
        self.client = client
        self.owner = owner
        self.path = path
        self.channel = channel
    }

    /// Notes a question about a call, in place of an earlier one, and returns its number.
    func ask(about call: CallID) -> UInt64 {
        latestQuestion += 1
        questions[call] = latestQuestion
        return latestQuestion
    }

    /// Notes that a question is over. Returns whether it was the latest about the call.
    func answers(_ question: UInt64, about call: CallID) -> Bool {
        guard questions[call] == question else { return false }
        questions[call] = nil
        return true
    }
}

/// The screeners by the numbers under which the core knows them.
@LoopActor
final class ScreenerBook {
    static let maximum = 16
    /// How many one owner may have.
    static func share(of owner: Owner) -> Int { owner.isModest ? 2 : 4 }
    private var screeners: [ScreenerID: Screener] = [:]
    /// Also of those that have left, for what they said of calls; the last ones.
    private var names: [(id: ScreenerID, name: String)] = []
    private static let rememberedNames = 128
    private var latest: UInt64 = 0

    var all: [Screener] { screeners.values.sorted { $0.id.number < $1.id.number } }

    subscript(id: ScreenerID) -> Screener? { screeners[id] }

    /// What people know a screener by; empty if it gave no name.
    func name(of id: ScreenerID) -> String { names.last { $0.id == id }?.name ?? "" }

    func find(_ client: String, _ path: ObjectPath) -> Screener? {
        screeners.values.first { $0.client == client && $0.path == path }
    }

    func add(name: String, client: String, owner: Owner, path: ObjectPath, channel: any MessageChannel) -> Screener {
        latest += 1
        let screener = Screener(ScreenerID(latest), client: client, owner: owner, path: path, channel: channel)
        screeners[screener.id] = screener
        names.append((screener.id, name))
        if names.count > Self.rememberedNames { names.removeFirst() }
        return screener
    }

    func remove(_ id: ScreenerID) { screeners.removeValue(forKey: id)?.watch?.cancel() }
}
