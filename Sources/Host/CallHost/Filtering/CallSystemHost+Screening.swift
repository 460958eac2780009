// Screeners come, are asked, and go.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    func registerScreener(
        _ path: ObjectPath, _ options: VariantDictionary, from context: CallContext
    ) throws(CallError) {
        let name = try options.optional("name", as: String.self) ?? ""
        noteUnknownKeys(in: options, besides: ["name"], from: context)
        try path.requireCallable(as: "screener")
        guard let client = context.sender, guests[ObjectIdentifier(context.channel)] == nil else {
            throw CallError(.accessDenied, "only a client of the bus screens calls")
        }
        guard screeners.find(client, path) == nil else {
            throw CallError(.invalidArguments, "there is a screener at \(path) already")
        }
        guard screeners.all.count < ScreenerBook.maximum else {
            throw CallError(
                .limitsExceeded,
                "all clients have \(screeners.all.count) screeners, expected at most \(ScreenerBook.maximum)")
        }
        let owner = owner(of: client)
        let own = screeners.all.count { $0.owner == owner }
        let share = ScreenerBook.share(of: owner)
        guard own < share else {
            throw CallError(.limitsExceeded, "\(owner) \(owner.has) \(own) screeners, expected at most \(share)")
        }
        let screener = screeners.add(
            name: String(name.displayable.prefix(64)), client: client, owner: owner, path: path,
            channel: context.channel)
        let id = screener.id
        log.info("client \(client) screens calls as \(id)")
        screener.watch = bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.loseScreener(id) })
        submit(.screenerRegistered(id))
    }

    func unregisterScreener(_ path: ObjectPath, from context: CallContext) throws(CallError) {
        guard let client = context.sender, let screener = screeners.find(client, path) else {
            throw CallError(.invalidArguments, "the caller has no screener at \(path)")
        }
        loseScreener(screener.id)
    }

    func loseScreener(_ id: ScreenerID) {
        guard screeners[id] != nil else { return }
        screeners.remove(id)
        submit(.screenerLost(id))
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
            screener.channel.call(message, timeoutMilliseconds: Self.patience(machine.deadlines)) {
                [weak self, channel = screener.channel, client = screener.client, id = screener.id] result in
                channel.verify(result, by: client) { self?.screened(call.id, by: id, $0) }
            }
        } catch {
            log.error("screener \(screener.id) cannot be asked: \(error)")
        }
    }

    /// When an answer is not worth remembering any more that it may come.
    private static func patience(_ deadlines: Deadlines) -> Int { Int(deadlines[.screen]) + 5_000 }

    private func screened(_ call: CallID, by screener: ScreenerID, _ result: Result<Message, DBusError>) {
        switch result {
        case .success(let reply): submit(.screened(call, by: screener, verdict(in: reply, by: screener)))
        case .failure(let error) where ProviderPeer.meansGone(error): loseScreener(screener)
        case .failure(let error) where error.name == DBusError.Name.timeout: break
        case .failure: submit(.screened(call, by: screener, nil))
        }
    }

    private func verdict(in reply: Message, by screener: ScreenerID) -> ScreeningVerdict? {
        guard let (text, answer) = try? reply.read(String.self, VariantDictionary.self),
            let word = ScreeningVerdict.Word(rawValue: text), let reason: String = try? answer.value("reason") ?? ""
        else { return nil }
        if let owner = screeners[screener]?.owner {
            noteUnknownKeys(in: answer, besides: ["reason"], by: owner)
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
