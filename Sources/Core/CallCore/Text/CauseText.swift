// The text form of a cause, for scenario files, the log and Explain.

import CallModel

extension Cause {
    /// `STATE: WHAT, by WHO[, for call C][, rule N][, transaction T]`, in this form for all readers.
    ///
    /// - Parameters:
    ///   - client: what a unique name is shown as.
    ///   - transaction: what a transaction's number is shown as.
    public func text(client: (String) -> String, transaction: (TransactionID) -> String) -> String {
        var text = state.rawValue
        if let endReason { text += " \(endReason.rawValue)" }
        text += ": \(event.text), by \(by.text(client))"
        if let newcomer { text += ", for call \(newcomer.scenarioText)" }
        if let rule { text += ", rule \(rule.rawValue)" }
        if let number = self.transaction { text += ", transaction \(transaction(number))" }
        return text
    }
}

extension Cause.Event {
    /// The word for programs, as `Explain` returns it.
    public var word: String {
        switch self {
        case .asked(let action): "\(action.rawValue)-requested"
        case .fulfilled(let action): "\(action.rawValue)-fulfilled"
        case .refused(let action): "\(action.rawValue)-refused"
        case .unanswered(let action): "\(action.rawValue)-timed-out"
        case .restored: "hold-restored"
        case .kept: "hold-kept"
        case .heldByNetwork: "held-by-network"
        case .parted: "group-left"
        case .resumedByNetwork: "resumed-by-network"
        case .reported: "reported"
        case .adopted: "adopted"
        case .connecting: "connecting"
        case .connected: "connected"
        case .notTaken: "unanswered"
        case .cancelled: "cancelled"
        case .notStarted: "not-started"
        case .providerDied: "provider-died"
        case .providerReplaced: "provider-replaced"
        case .providerRestarted: "provider-restarted"
        case .providerLeft: "provider-left"
        case .filtered: "filtered"
        case .passedOn: "passed-on"
        }
    }

    /// What there is to be told besides the word, for people; nil if that is all.
    public var detail: String? {
        switch self {
        case .notStarted(let error): error.message
        case .filtered(let reason): reason.rawValue
        case .passedOn(let provider): provider.rawValue
        default: nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .asked(let action): "\(action.rawValue) asked for"
        case .fulfilled(let action): "\(action.rawValue) fulfilled"
        case .refused(let action): "\(action.rawValue) refused"
        case .unanswered(let action): "\(action.rawValue) not answered in time"
        case .restored(let holder): "on hold again for the \(holder.rawValue)"
        case .kept: "kept on hold"
        case .heldByNetwork: "held by the network"
        case .resumedByNetwork: "resumed by the network"
        case .parted: "another left the group"
        case .reported: "reported"
        case .adopted: "adopted"
        case .connecting: "connecting"
        case .connected: "connected"
        case .notTaken: "not answered by anyone"
        case .cancelled: "ended before it was started"
        case .notStarted(let error): "not started: \(error)"
        case .providerDied: "provider died"
        case .providerReplaced: "provider registered anew"
        case .providerRestarted: "provider restarted by the user"
        case .providerLeft: "provider left"
        case .filtered(let reason): "filtered (\(reason.rawValue))"
        case .passedOn(let provider): "passed on to provider \(provider)"
        }
    }
}

extension Cause.Agent {
    fileprivate func text(_ client: (String) -> String) -> String {
        func text(_ requester: Requester) -> String {
            switch requester {
            case .client(let name): "client \(client(name))"
            case .provider(let id): "provider \(id)"
            }
        }
        func suffix(_ requester: Requester?) -> String { requester.map { " for \(text($0))" } ?? "" }
        return switch self {
        case .requester(let requester): text(requester)
        case .arbiter(let requester): "arbiter" + suffix(requester)
        case .policy(let requester): "policy" + suffix(requester)
        case .provider(let id): "provider \(id)"
        case .remote: "remote party"
        case .deadline(let kind): "deadline \(kind.rawValue)"
        case .system: "system"
        }
    }
}
