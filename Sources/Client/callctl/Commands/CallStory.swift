// What led to a call's state, in sentences.

import CallClient
import CallModel
import DBus
import EventLoop

/// One of the causes that Explain returns.
struct ToldCause: Readable, Sendable {
    let properties: VariantDictionary

    var state: String { text("state") }
    var event: String { text("event") }
    /// The event without how it came out: `hold` of `hold-requested`.
    var action: String { event.split(separator: "-").first.map(String.init) ?? "" }
    var isRequest: Bool { event.hasSuffix("-requested") }
    var rule: UInt32 { number("rule") }
    var time: WallTime { WallTime(microseconds: count("at")) }

    /// Whether this is what came of a request.
    func settles(_ request: ToldCause) -> Bool {
        let ways = ["fulfilled", "refused", "timed-out"].map { "\(request.action)-\($0)" }
        return (ways.contains(event) || event == "hold-restored" && request.action == "hold")
            && text("transaction") == request.text("transaction")
    }
}

/// The causes of a call's state for people: short ids, names, and rules in words.
struct CallStory {
    private let call: PublishedCall
    private let snapshot: Snapshot
    private let causes: [ToldCause]

    init(of call: PublishedCall, in snapshot: Snapshot, _ causes: [ToldCause]) {
        (self.call, self.snapshot, self.causes) = (call, snapshot, causes)
    }

    /// A line for each change, but for requests of which is told how they came out.
    var short: [String] {
        let told = zip(causes, causes.dropFirst().map(Optional.some) + [nil]).filter { cause, next in
            !(cause.isRequest && next?.settles(cause) == true)
        }
        return [title] + told.map { "\($0.0.time.clockText.prefix(8))  \(sentence(of: $0.0))".printable }
    }

    /// A line for each change, and below it what the daemon has logged.
    var whole: [String] {
        [title]
            + causes.flatMap { cause in
                ["\(cause.time.clockText)  \(sentence(of: cause))", "  \(cause.text("text"))"].map(\.printable)
            }
    }

    private var title: String {
        let other = call.state == .held ? call.heldFor : nil
        let state = other.map { "held by arbiter for \(name(of: $0))" } ?? snapshot.stateText(of: call)
        return "\(name(of: call.id)) \(call.hasEnded ? "has" : "is") \(state)".printable
    }

    /// The columns of a name that are shown.
    private static let longestName = 26

    /// `5a11922e (Alice)`.
    private func name(of id: CallID) -> String {
        let caller = (snapshot.calls.first { $0.id == id }?.caller ?? "").truncated(to: Self.longestName)
        return id.description.prefix(snapshot.shortLength) + (caller.isEmpty ? "" : " (\(caller))")
    }

    /// The call's provider, by its name.
    private var provider: String {
        guard let id = call.provider else { return "its provider" }
        return snapshot.providers.first { $0.id == id }?.name ?? id.rawValue
    }

    // MARK: Sentences

    private func sentence(of cause: ToldCause) -> String {
        let text = statement(of: cause)
        // These say already what their rule says.
        let isNetworks = ["held-by-network", "resumed-by-network"].contains(cause.event)
        guard !isNetworks, let rule = RuleText.text(of: cause.rule) else { return text }
        return "\(text): \(rule)"
    }

    private func statement(of cause: ToldCause) -> String {
        switch cause.event {
        case "reported": report(cause)
        case "adopted": "\(provider) told of it when it was connected already"
        case "start-requested": "started \(byWhom(cause)); \(provider) is asked to call"
        case "start-fulfilled": "started \(byWhom(cause)), with \(provider)"
        case "connecting": "\(provider) connects it"
        case "connected": "the far side answered"
        case "answer-requested": "is to be answered \(byWhom(cause)); \(provider) is asked"
        case "answer-fulfilled": "answered \(byWhom(cause))"
        case "end-requested": "is to be ended \(why(cause)); \(provider) is asked"
        case "end-fulfilled": "\(call.endWord) \(why(cause))"
        case "end-refused": "ended \(why(cause)), though \(provider) refused"
        case "end-timed-out": "ended \(why(cause)), though \(provider) did not confirm it in time"
        case "hold-requested": "is to be held \(why(cause)); \(provider) is asked"
        case "hold-fulfilled": "held \(why(cause))"
        case "hold-refused": "\(provider) refused to hold it\(forWhom(cause)), so it is not held"
        case "hold-timed-out": failure("did not hold it in time\(forWhom(cause))", "it is not held", cause)
        case "hold-restored": "held again\(forWhom(cause)), since what took it off hold came to nothing"
        case "hold-kept": "stays on hold, now \(byWhom(cause))"
        case "held-by-network": "held by its network, as \(provider) tells"
        case "resumed-by-network": "resumed by its network, as \(provider) tells"
        case "resume-requested": "is to be resumed \(why(cause)); \(provider) is asked"
        case "resume-fulfilled": "resumed \(why(cause))"
        case "resume-refused": "\(provider) refused to resume it, so it stays on hold"
        case "resume-timed-out": failure("did not resume it in time", "it stays on hold", cause)
        case "group-fulfilled": "talks since calls were grouped, or a group was left, \(byWhom(cause))"
        case "group-left": "held since \(other(cause) ?? "another call") left the group"
        case "start-refused", "answer-refused": failure("refused to \(cause.action) it", "", cause)
        case "start-timed-out", "answer-timed-out": failure("did not \(cause.action) it in time", "", cause)
        case "unanswered": "nobody answered it in time"
        case "cancelled": "ended \(why(cause)) before \(provider) was asked to call"
        case "not-started": "not started, \(detail(cause) ?? "since it was refused")"
        case "provider-died": "\(provider) crashed"
        case "provider-replaced": "\(provider) came again without having said goodbye"
        case "provider-restarted": "\(provider) was restarted or upgraded by you"
        case "provider-left": "\(provider) left"
        case "transfer-fulfilled": "transferred \(byWhom(cause))"
        case "passed-on": "passed on to \(detail(cause) ?? "another provider")"
        case "filtered":
            "ended, since its caller changed to one who may not ring" + (detail(cause).map { " (\($0))" } ?? "")
        default: snapshot.shortening(cause.text("text"))
        }
    }

    private func report(_ cause: ToldCause) -> String {
        guard cause.state == "ended" else { return "\(provider) told that it comes in" }
        let detail = call.endDetailText
        return switch cause.text("end-reason") {
        case "remote-ended": "the far side hung up\(detail)"
        case "unanswered": "nobody answered at the far side\(detail)"
        case "answered-elsewhere": "answered on another device"
        case "declined-elsewhere": "declined on another device"
        default: "failed\(detail), as \(provider) tells"
        }
    }

    /// What its provider did not do, and what came of it.
    private func failure(_ what: String, _ otherwise: String, _ cause: ToldCause) -> String {
        let outcome = cause.state == "ended" ? "the call is lost" : otherwise
        return "\(provider) \(what)" + (outcome.isEmpty ? "" : ", so \(outcome)")
    }

    /// The client or the provider that asked.
    private func asker(_ cause: ToldCause) -> String {
        let asking = Contract.provider(at: cause.path("provider").text)
        if let asking { return snapshot.providers.first { $0.id == asking }?.name ?? asking.rawValue }
        return cause.text("program").isEmpty ? "a program" : "you, with \(cause.text("program"))"
    }

    private func byWhom(_ cause: ToldCause) -> String { "by \(asker(cause))" }

    /// Who did it, or for what.
    private func why(_ cause: ToldCause) -> String {
        if let other = other(cause) { return "to make room for \(other)\(purpose(cause))" }
        return switch cause.text("by") {
        case "user", "provider": byWhom(cause)
        case "system": "as the call system shuts down"
        case "remote": "by the far side"
        case "deadline": "as nobody answered in time"
        case "policy": "as the policy says"
        default: "by itself"
        }
    }

    /// What was asked for when this call had to make room.
    private func purpose(_ cause: ToldCause) -> String {
        let verb: String? =
            switch cause.rule {
            case 1, 2: "started"
            case 6, 7, 8: "answered"
            case 12, 13: "resumed"
            case 14: "grouped or ungrouped"
            default: nil
            }
        return verb.map { ", which was \($0) by \(asker(cause))" } ?? ""
    }

    private func other(_ cause: ToldCause) -> String? {
        Contract.call(at: cause.path("call").text).map(name)
    }

    private func forWhom(_ cause: ToldCause) -> String { other(cause).map { " for \($0)" } ?? "" }

    private func detail(_ cause: ToldCause) -> String? {
        let text = snapshot.shortening(cause.text("detail"))
        return text.isEmpty ? nil : text
    }
}

extension PublishedCall {
    /// How it was ended on this side.
    fileprivate var endWord: String { details.endReason == .declined ? "declined" : "ended" }
}
