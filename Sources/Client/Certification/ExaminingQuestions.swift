// The calls of the scripted host to the plugin.

import CallModel
import CallWire
import DBus
import EventLoop

extension ExaminingHost {
    /// Sends an action. A start adds its call; an answered end and a fulfilled transfer end theirs.
    ///
    /// - Parameters:
    ///   - isProvoked: whether the host causes a late answer.
    ///   - transaction: the UUID of the transaction that the action is part of.
    ///   - part: the action's place there.
    func put(
        _ action: CallAction, isProvoked: Bool = false, in transaction: String = freshID().description,
        _ part: ActionPart = .single
    ) -> PendingAnswer {
        if case .start(let id, _) = action {
            log.usedIDs.insert(id)
            calls[id] = ExaminedCall(isOutgoing: true)
        }
        let wire = PerformWire(
            id: Self.freshID().description, action: action, transaction: transaction,
            deadline: Self.moment(after: answerTimeout), part: part)
        return put(
            wire.id, wire.kind, wire.call, wire.transaction, wire.deadline, wire.details, isProvoked: isProvoked
        ) { [weak self] in
            switch action {
            case .setHeld(let id, let isHeld): self?.holds.append(HoldNews(id, isHeld))
            case .transfer(let id, let target):
                self?.endTransferred(id)
                if case .call(let other) = target { self?.endTransferred(other) }
            default: break
            }
        }
    }

    /// Ends a call when its transfer is fulfilled. The reports that come after that answer are reports after the end.
    private func endTransferred(_ id: CallID) {
        guard calls[id]?.isEnded == false else { return }
        calls[id]?.isTransferred = true
        calls[id]?.isEnded = true
        calls[id]?.isOver = true
    }

    /// Sends a Perform with any arguments.
    func put<each Argument: DBusType>(
        _ id: String, _ kind: String, _ arguments: repeat each Argument, isProvoked: Bool = false,
        onFulfilled: @escaping @LoopActor () -> Void = {}
    ) -> PendingAnswer {
        put(
            ProviderMember.Delegate.perform, kind, isProvoked: isProvoked, actionID: id,
            make: { (path) throws(DBusError) in
                try Message.call(
                    at: path, Contract.providerDelegate, ProviderMember.Delegate.perform, id, kind,
                    repeat each arguments)
            }, onFulfilled: onFulfilled)
    }

    func put(button id: String, _ args: VariantDictionary) -> PendingAnswer {
        put(ProviderMember.Delegate.customAction, "custom action \(id)") {
            (path) throws(DBusError) in
            try Message.call(at: path, Contract.providerDelegate, ProviderMember.Delegate.customAction, id, args)
        }
    }

    func ask(_ action: CallAction) async -> Answer {
        let question = put(action)
        let answer = await question.answer()
        if case .end(let id, _) = action, answer.isGiven {
            calls[id]?.isEnded = true
            calls[id]?.isOver = true
        }
        if case .silent = answer {
            // A late answer tells more than none, so it gets the same time again.
            _ = await wait(answerTimeout) { [weak self] in question.lateness != nil || self?.isUp != true }
        }
        return answer
    }

    /// Takes the audio back. Any answer, even an error, releases it.
    func askForAudio() async -> Answer {
        let member = ProviderMember.Delegate.audioSessionDeactivated
        let question = put(member, member) { (path) throws(DBusError) in
            try Message.call(at: path, Contract.providerDelegate, member)
        }
        return await question.answer()
    }

    func grantAudio(for call: CallID) {
        guard let delegate = provider?.delegate else { return }
        let details: VariantDictionary = ["call-uuid": .string(call.description)]
        notify(ProviderMember.Delegate.audioSessionActivated, at: delegate, details)
    }

    func putPing() -> PendingAnswer {
        put("Ping", "a ping") { (_) throws(DBusError) in
            try Message.call(at: .root, StandardInterface.peer, "Ping")
        }
    }

    /// Ends all calls by Reset.
    func reset() {
        guard let delegate = provider?.delegate else { return }
        for id in calls.keys where calls[id]?.isEnded == false {
            calls[id]?.isEnded = true
            calls[id]?.isForgotten = true
        }
        notify(ProviderMember.Delegate.reset, at: delegate)
    }

    func notifyTimedOut(_ actionID: String) {
        guard let delegate = provider?.delegate else { return }
        notify(ProviderMember.Delegate.timedOut, at: delegate, actionID)
    }

    /// Says that the rest of a transaction is not needed any more.
    func notifyTransactionEnded(_ transaction: String) {
        guard let delegate = provider?.delegate else { return }
        let details: VariantDictionary = ["failed": false]
        notify(ProviderMember.Delegate.transactionEnded, at: delegate, transaction, details)
    }

    /// Sends a call that needs no answer.
    func notify<each Argument: DBusType>(_ member: String, at delegate: ObjectPath, _ arguments: repeat each Argument) {
        guard let message = try? Message.call(at: delegate, Contract.providerDelegate, member, repeat each arguments)
        else { return }
        message.expectsReply = false
        send(message)
    }

    private func send(_ message: Message) {
        if let address = process?.address { message.direct(to: address) }
        channel?.send(message)
    }

    func put(
        _ member: String, _ subject: String, isProvoked: Bool = false, actionID: String? = nil,
        make: (ObjectPath) throws(DBusError) -> Message, onFulfilled: @escaping @LoopActor () -> Void = {}
    ) -> PendingAnswer {
        let question = PendingAnswer(subject, actionID: actionID, within: answerTimeout) { [weak self] in
            if let actionID { self?.notifyTimedOut(actionID) }
        }
        guard let link = channel, let message = try? make(provider?.delegate ?? .root) else {
            question.answered(.failure(DBusError(DBusError.Name.disconnected, "there is no link")), isOpen: false)
            return question
        }
        if let address = process?.address { message.direct(to: address) }
        let isPerform = member == ProviderMember.Delegate.perform
        // Without a time limit, so that a late answer differs from a second one.
        let serial = link.call(message, timeout: .zero) { [weak self, weak link] result in
            guard let self else { return }
            let isOpen = link?.isOpen == true && isUp
            if isOpen { log.answers += 1 }
            question.answered(isPerform ? Self.checked(result) : result, isOpen: isOpen)
            if question.isFulfilled { onFulfilled() }
            if let lateness = question.lateness, !isProvoked {
                log.add(.lateAnswer(subject: subject, by: lateness))
            }
            somethingHappened()
        }
        remember(question, serial)
        return question
    }

    /// Checks that the reply to Perform is a valid result.
    private static func checked(_ result: Result<Message, DBusError>) -> Result<Message, DBusError> {
        guard case .success(let message) = result else { return result }
        do {
            _ = try PerformResult(wire: message.read(VariantDictionary.self))
            return result
        } catch {
            return .failure(DBusError(DBusError.Name.inconsistentMessage, "not a result of Perform: \(error)"))
        }
    }

    static func freshID() -> CallID {
        var generator = SystemRandomNumberGenerator()
        return CallID.random(using: &generator)
    }

    static func moment(after duration: Duration) -> WallTime {
        WallTime(microseconds: WallClock.microseconds) + UInt64(max(0, duration.milliseconds)) * 1_000
    }
}
