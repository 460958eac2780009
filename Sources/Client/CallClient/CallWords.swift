// CallWords: what notifications and windows say of calls, in the user's language.

package import CallModel

/// The sentences about calls that people read. Each stands here once, in English.
package struct CallWords: Sendable {
    private let translate: @Sendable (String) -> String

    /// - Parameter translate: returns the user's words for English ones, with the same words in braces.
    package init(_ translate: @escaping @Sendable (String) -> String) { self.translate = translate }

    package static let english = CallWords { $0 }

    /// Returns a text in the user's language.
    ///
    /// - Parameter values: what stands in the place of each word in braces.
    package func localized(_ english: String, _ values: [String: String] = [:]) -> String {
        let text = translate(english)
        guard !values.isEmpty else { return text }
        var filled = ""
        for (index, part) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            guard index > 0, let end = part.firstIndex(of: "}"), let value = values[String(part[..<end])] else {
                filled += (index > 0 ? "{" : "") + part
                continue
            }
            filled += value + part[part.index(after: end)...]
        }
        return filled
    }

    // MARK: who

    /// Who is at the far side of a call.
    package func party(of call: PublishedCall) -> String {
        call.caller.isEmpty ? localized("an unknown caller") : call.caller.displayable
    }

    /// The handle below the name; "" if the name is all there is.
    package func handle(of call: PublishedCall) -> String {
        let handle = call.handle?.value.displayable ?? ""
        return handle == party(of: call) ? "" : handle
    }

    /// Who has forwarded the call here; nil if nobody has.
    package func forwarding(of call: PublishedCall) -> String? {
        call.divertedBy.map { localized("Forwarded by {party}", ["party": $0.value.displayable]) }
    }

    // MARK: a call that rings

    /// - Parameter hidesNames: whether the far side is not named.
    package func incoming(_ call: PublishedCall, hidesNames: Bool = false) -> String {
        let party = ["party": party(of: call)]
        return switch (call.emergency, call.video, hidesNames) {
        case (true, _, true): localized("Incoming emergency call")
        case (true, _, false): localized("Incoming emergency call from {party}", party)
        case (false, true, true): localized("Incoming video call")
        case (false, true, false): localized("Incoming video call from {party}", party)
        case (false, false, true): localized("Incoming call")
        case (false, false, false): localized("Incoming call from {party}", party)
        }
    }

    /// What kind of call it is, and with which provider.
    package func kind(of call: PublishedCall, with provider: String) -> String {
        let provider = ["provider": provider]
        if call.emergency { return localized("Emergency call via {provider}", provider) }
        return call.video
            ? localized("Video call via {provider}", provider) : localized("Call via {provider}", provider)
    }

    /// The button for one of the ways to take a ringing call.
    package func button(for option: AnswerOptions) -> String {
        switch option {
        case .answer: localized("Answer")
        case .holdAndAnswer: localized("Hold & Answer")
        case .endAndAnswer: localized("End & Answer")
        default: localized("Decline")
        }
    }

    package var silence: String { localized("Silence") }

    /// What calls other than this one do, a line each.
    ///
    /// - Parameters:
    ///   - most: how many that ring are named; 0 names nobody.
    ///   - provider: the name of a call's provider.
    package func others(
        than call: PublishedCall, among calls: some Collection<PublishedCall>, naming most: Int,
        provider: (PublishedCall) -> String
    ) -> [String] {
        let others = calls.filter { $0.id != call.id }.sorted { $0.order < $1.order }
        var lines: [String] = []
        if others.contains(where: { $0.state.hasLine && !$0.state.isDialing }) {
            lines.append(localized("Another call is active"))
        } else if others.contains(where: \.state.isDialing) {
            lines.append(localized("Another call is being made"))
        } else if others.contains(where: { $0.state == .held }) {
            lines.append(localized("Another call is on hold"))
        }
        let ringing = others.filter { $0.state == .ringing }
        let named = ringing.filter(\.isIdentified).prefix(most)
        if named.count == ringing.count, !named.isEmpty {
            lines += named.map {
                localized(
                    "Another call is ringing: {party} ({provider})", ["party": party(of: $0), "provider": provider($0)])
            }
        } else if !ringing.isEmpty {
            lines.append(
                ringing.count == 1
                    ? localized("Another call is ringing")
                    : localized("{count} other calls are ringing", ["count": String(ringing.count)]))
        }
        return lines
    }

    // MARK: a call that has ended

    /// Why a call has ended; nil for one that the user has ended, and for one that rang here, which was missed.
    package func end(of call: PublishedCall, hidesNames: Bool = false) -> String? {
        let wasConnected = call.connectedAt > 0
        guard call.hasEnded, call.endedBy != .user, wasConnected || call.isOutgoing else { return nil }
        let isNamed = !hidesNames && !call.caller.isEmpty
        let party = ["party": isNamed ? party(of: call) : localized("The far side")]
        return switch (call.endReason, call.endDetail) {
        case (.remoteEnded, _) where wasConnected: localized("{party} has ended the call", party)
        case (_, .busy): localized("{party} is busy", party)
        case (_, .rejected): localized("{party} has declined the call", party)
        case (.unanswered, _): localized("{party} does not answer", party)
        case (.providerRestarted, _):
            switch (isNamed, call.isOutgoing) {
            case (false, _): localized("The call has ended: its plugin was restarted")
            case (true, true): localized("The call to {party} has ended: its plugin was restarted", party)
            case (true, false): localized("The call with {party} has ended: its plugin was restarted", party)
            }
        case (.failed, _), (.providerCrashed, _), (.timedOut, _):
            switch (isNamed, call.isOutgoing) {
            case (false, _): localized("The call has failed")
            case (true, true): localized("The call to {party} has failed", party)
            case (true, false): localized("The call with {party} has failed", party)
            }
        default:
            switch (isNamed, call.isOutgoing) {
            case (false, _): localized("The call has ended")
            case (true, true): localized("The call to {party} has ended", party)
            case (true, false): localized("The call with {party} has ended", party)
            }
        }
    }

    // MARK: a call that goes on

    package func ongoing(_ call: PublishedCall, hidesNames: Bool = false) -> String {
        let party = ["party": party(of: call)]
        return switch (call.state, hidesNames) {
        case (.held, true): localized("A call is on hold")
        case (.held, false):
            call.caller.isEmpty ? localized("A call is on hold") : localized("{party} is on hold", party)
        case (_, true): localized("A call goes on")
        case (_, false):
            call.state.isDialing ? localized("Calling {party}", party) : localized("Call with {party}", party)
        }
    }

    /// What a call does now, to stand below its name.
    ///
    /// - Parameter other: the call for which it is held.
    package func standing(of call: PublishedCall, heldFor other: PublishedCall?) -> String {
        switch call.state {
        case .starting, .started, .connecting: progress(of: call)
        case .ringing: call.ringsAloud ? localized("Rings") : localized("Rings silently")
        case .answering: localized("Is being answered…")
        case .active: call.remoteHeld ? localized("The far side has put you on hold") : localized("In a call")
        case .holding: localized("Is being put on hold…")
        case .held: held(call, for: other)
        case .resuming: localized("Is being resumed…")
        case .ending: localized("Is being ended…")
        case .ended: end(of: call) ?? localized("The call has ended")
        }
    }

    private func progress(of call: PublishedCall) -> String {
        switch call.progress {
        case .alerting: localized("Rings at the far side…")
        case .earlyMedia: localized("The network answers…")
        case .forwarded: localized("Is being forwarded…")
        case .queued: localized("Waits in a queue…")
        case .trying, nil: localized("Calling…")
        }
    }

    private func held(_ call: PublishedCall, for other: PublishedCall?) -> String {
        if let other { return localized("On hold, waits for {party}", ["party": party(of: other)]) }
        return switch call.heldBy {
        case .provider: localized("Put on hold by the network")
        case .arbiter, .user, nil: localized("On hold")
        }
    }

    // MARK: buttons of a call that goes on

    package var hangUp: String { localized("Hang Up") }
    package var mute: String { localized("Mute") }
    package var unmute: String { localized("Unmute") }
    package var hold: String { localized("Hold") }
    package var resume: String { localized("Resume") }
    package var swap: String { localized("Swap") }
    package var sendDigits: String { localized("Send Digits") }

    /// What of the digits behind a number is not sent yet.
    package func unsent(_ digits: String) -> String { localized("{digits} is not sent yet", ["digits": digits]) }
}
