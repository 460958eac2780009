// The calls of the scripted host to the plugin.

import CallModel
import CallWire
import DBus
import EventLoop

extension ExaminingHost {
    /// Sends an action. A start adds its call; an answered end ends it.
    ///
    /// - Parameter isProvoked: whether the host causes a late answer.
    func put(_ action: CallAction, isProvoked: Bool = false) -> PendingAnswer {
        if case .start(let id, _) = action {
            log.usedIDs.insert(id)
            calls[id] = ExaminedCall(isOutgoing: true)
        }
        let wire = PerformWire(
            id: Self.freshID().description, action: action, transaction: Self.freshID().description,
            deadline: Self.moment(after: patience))
        return put(
            wire.id, wire.kind, wire.call, wire.transaction, wire.deadline, wire.details, isProvoked: isProvoked)
    }

    /// Sends a Perform with any arguments.
    func put<each Argument: DBusType>(
        _ id: String, _ kind: String, _ arguments: repeat each Argument, isProvoked: Bool = false
    ) -> PendingAnswer {
        put(ProviderMember.Delegate.perform, kind, isProvoked: isProvoked, actionID: id) {
            (path) throws(DBusError) in
            try Message.call(
                at: path, Contract.providerDelegate, ProviderMember.Delegate.perform, id, kind, repeat each arguments)
        }
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
            _ = await wait(patience) { [weak self] in question.lateness != nil || self?.isUp != true }
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

    /// Sends a call that needs no answer.
    func notify<each Argument: DBusType>(_ member: String, at delegate: ObjectPath, _ arguments: repeat each Argument) {
        guard let message = try? Message.call(at: delegate, Contract.providerDelegate, member, repeat each arguments)
        else { return }
        message.expectsReply = false
        link?.send(message)
    }

    private func put(
        _ member: String, _ subject: String, isProvoked: Bool = false, actionID: String? = nil,
        _ make: (ObjectPath) throws(DBusError) -> Message
    ) -> PendingAnswer {
        let question = PendingAnswer(subject, actionID: actionID, patience: patience) { [weak self] in
            if let actionID { self?.notifyTimedOut(actionID) }
        }
        guard let link, let message = try? make(provider?.delegate ?? .root) else {
            question.answered(.failure(DBusError(DBusError.Name.disconnected, "there is no link")), isOpen: false)
            return question
        }
        let isPerform = member == ProviderMember.Delegate.perform
        // Without a time limit, so that a late answer differs from a second one.
        let serial = link.call(message, timeoutMilliseconds: 0) { [weak self, weak link] result in
            guard let self else { return }
            let isOpen = link?.isOpen == true
            if isOpen { log.answers += 1 }
            question.answered(isPerform ? Self.checked(result) : result, isOpen: isOpen)
            if let lateness = question.lateness, !isProvoked {
                log.add(.lateAnswer(subject: subject, milliseconds: lateness))
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

    static func moment(after milliseconds: Int) -> UInt64 {
        WallTime.now.microseconds + UInt64(milliseconds) * 1_000
    }
}
