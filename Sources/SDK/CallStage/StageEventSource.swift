// StageEventSource: finds the event outside the host that leads to an input of the core.

package import CallCore
import CallModel

/// Keeps track of what providers and clients can do, and finds the event that leads to an input.
package struct StageEventSource {
    private struct Performed {
        let provider: ProviderID
        /// Counts the provider's processes; one that has died does not answer.
        let life: Int
        let number: Int
    }

    private var registered: Set<ProviderID> = []
    private var lives: [ProviderID: Int] = [:]
    private var performs: [ProviderID: Int] = [:]
    private var performed: [ActionID: Performed] = [:]
    private var releases: [ProviderID: Int] = [:]
    private var doNotDisturb = false
    private var latestLabel = 0
    private var labels: [ReplyID: Int] = [:]
    /// The requests of providers that are alive.
    private var asked: [ProviderID: Set<ReplyID>] = [:]
    private var rules = DoNotDisturbRules()
    private var defaults: [String: ProviderID] = [:]
    private var marked: Set<ProviderID> = []
    private var screening = ScreeningEventSource()
    private var audioAgents = AudioAgentEventSource()

    package init() {}

    /// Returns the event that leads to `input` now.
    package mutating func event(for input: Input, isDue: Bool) -> StageEvent {
        switch input {
        case .providerRegistered(let id, let configuration, let isPackaged, let owner):
            guard registered.insert(id).inserted else {
                return .impossible("\(id) is registered already")
            }
            return .register(id, configuration, isPackaged: isPackaged, owner: owner)
        case .providerReconfigured(let id, let configuration):
            if let impossible = unless(absent(id)) { return impossible }
            return .reconfigure(id, configuration)
        case .providerLost(let id):
            if let impossible = unless(absent(id)) { return impossible }
            registered.remove(id)
            for reply in asked.removeValue(forKey: id) ?? [] { labels[reply] = nil }
            lives[id, default: 0] += 1
            performs[id] = 0
            releases[id] = 0
            return .die(id)
        case .providerRestarted: return .impossible("a plugin is restarted by its user")
        case .providerRemoved(let id):
            if let impossible = unless(absent(id)) { return impossible }
            registered.remove(id)
            return .leave(id)
        case .reported(let report, let id, let reply):
            if let impossible = unless(absent(id)) { return impossible }
            asked[id, default: []].insert(reply)
            return .report(report, by: id, label: label(reply))
        case .requested(let request, let reply):
            if let impossible = unless(unspeakable(request)) { return impossible }
            if case .provider(let id) = request.requester { asked[id, default: []].insert(reply) }
            return .request(request, label: label(reply))
        case .actionFulfilled(let action, let date, let engine):
            return answer(action, .fulfilled(date: date, engine: engine))
        case .actionFailed(let action, let word, let reason): return answer(action, .refused(word, reason: reason))
        case .audioReleased(let id):
            guard let owed = releases[id], owed > 0 else { return .impossible("\(id) has no audio to release") }
            releases[id] = owed - 1
            return .releaseAudio(id)
        case .timerFired(let timer):
            return isDue ? .wait(timer) : .impossible("the timer \(timer) is not due now")
        case .ringingSilenced: return .silence
        case .doNotDisturbSet(let value):
            guard value != doNotDisturb else { return .impossible("do-not-disturb is set so already") }
            doNotDisturb = value
            return .doNotDisturb(value)
        case .doNotDisturbRulesSet(let value):
            guard value != rules else { return .impossible("these rules are set already") }
            rules = value
            return .doNotDisturbRules(value)
        case .defaultProvidersSet(let choice):
            guard choice != defaults else { return .impossible("these providers are the default already") }
            defaults = choice
            return .defaultProviders(choice)
        case .providersKnown: return .impossible("the daemon reads the order of earlier registrations from a file")
        case .emergencyProvidersSet(let choice):
            guard choice != marked else { return .impossible("these providers are marked already") }
            marked = choice
            return .emergencyProviders(choice)
        case .screenerRegistered, .screenerLost, .screened, .lookUpExpected, .lookUpAvailable, .lookedUp:
            return screening.event(for: input)
        case .audioAgentRegistered, .audioAgentLost, .audioPrepared: return audioAgents.event(for: input)
        case .shutdownRequested: return .shutDown
        }
    }

    /// Notes what providers, screeners and audio agents get.
    package mutating func note(_ effects: Effects) {
        for effect in effects {
            switch effect {
            case .perform(let action):
                let provider = action.provider
                let number = performs[provider, default: 0]
                performs[provider] = number + 1
                performed[action.id] = Performed(
                    provider: provider, life: lives[provider, default: 0], number: number)
            case .deactivateAudio(let id): releases[id, default: 0] += 1
            case .screen, .lookUp: screening.note(effect)
            case .prepareAudio: audioAgents.note(effect)
            default: break
            }
        }
    }

    /// The number that stands for a reply, from 1 in the order of the questions.
    package func label(of reply: ReplyID) -> Int? { labels[reply] }

    private mutating func label(_ reply: ReplyID) -> Int {
        latestLabel += 1
        labels[reply] = latestLabel
        return latestLabel
    }

    private mutating func answer(_ action: ActionID, _ answer: StageEvent.Answer) -> StageEvent {
        guard let perform = performed[action] else {
            return .impossible("no provider was asked to perform a\(action.number)")
        }
        guard perform.life == lives[perform.provider, default: 0] else {
            return .impossible("the provider that was asked to perform a\(action.number) has died")
        }
        return .answer(perform.provider, perform: perform.number, answer)
    }

    private func unless(_ reason: String?) -> StageEvent? { reason.map { .impossible($0) } }

    private func absent(_ id: ProviderID) -> String? { registered.contains(id) ? nil : "\(id) is not registered" }

    /// Returns why the bus has no method for a request: only Reject has a reason or requires a state.
    private func unspeakable(_ request: Request) -> String? {
        if case .provider(let id) = request.requester, let reason = absent(id) { return reason }
        for case .start(_, let start) in request.actions where start.preferred != nil {
            return "only the host knows whom the user called last"
        }
        var isReject = false
        if request.actions.count == 1, case .end = request.actions[0] { isReject = request.requiredState == .ringing }
        if isReject { return nil }
        if request.requiredState != nil { return "only Reject requires a state" }
        for case .end(_, let reason) in request.actions where !reason.isEmpty { return "only Reject has a reason" }
        return nil
    }
}
