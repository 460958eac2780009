// Pseudonyms for identities, with which the core makes the same decisions.

package import CallCore
import CallModel

/// Replaces the values of handles, callers' names, contact identifiers, pictures, reasons for a rejection or a refusal, and digits.
/// A value always gets the same pseudonym. Empty values and emergency numbers stay as they are. Icons are numbered.
package struct Pseudonyms {
    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]
    /// All emergency numbers declared so far.
    private var emergencyNumbers = Set(Handle.wellKnownEmergencyNumbers)
    private var icons: [UInt64: Int] = [:]

    package init() {}

    package mutating func replaced(_ input: Input) -> Input {
        switch input {
        case .providerRegistered(let id, let configuration, let isPackaged, let owner):
            return .providerRegistered(id, replaced(configuration), isPackaged: isPackaged, owner: owner)
        case .providerReconfigured(let id, let configuration):
            return .providerReconfigured(id, replaced(configuration))
        case .reported(.incoming(let call, let update), let provider, let reply):
            return .reported(.incoming(call, replaced(update)), by: provider, reply: reply)
        case .reported(.updated(let call, let update), let provider, let reply):
            return .reported(.updated(call, replaced(update)), by: provider, reply: reply)
        case .requested(var request, let reply):
            for index in request.actions.indices { request.actions[index] = replaced(request.actions[index]) }
            return .requested(request, reply: reply)
        case .reported(.ongoing(let call, let ongoing, let update), let provider, let reply):
            return .reported(.ongoing(call, ongoing, replaced(update)), by: provider, reply: reply)
        case .actionFailed(let action, let word, let reason):
            return .actionFailed(action, word, reason: replaced(reason, by: "reason"))
        case .lookedUp(let call, var caller):
            caller.name = replaced(caller.name, by: "name")
            caller.contact = replaced(caller.contact, by: "contact")
            caller.image = replaced(caller.image, by: "image")
            caller.normalized = caller.normalized.map { replaced($0) }
            caller.caller = caller.caller.map { Caller($0.handle.map { replaced($0) }) }
            return .lookedUp(call, caller)
        case .screened(let call, let screener, let verdict?):
            // A reason that is a word of the contract decides what the provider is told.
            let isWord = FilterReason(rawValue: verdict.reason) != nil
            let reason = isWord ? verdict.reason : replaced(verdict.reason, by: "reason")
            return .screened(call, by: screener, ScreeningVerdict(verdict.word, reason: reason))
        case .screened(_, _, nil): return input
        case .providerLost, .providerRestarted, .providerRemoved, .reported, .actionFulfilled, .audioReleased,
            .timerFired,
            .providersKnown, .defaultProvidersSet, .emergencyProvidersSet, .ringingSilenced, .doNotDisturbSet,
            .doNotDisturbRulesSet,
            .lookUpExpected,
            .lookUpAvailable, .screenerRegistered,
            .screenerLost, .audioAgentRegistered, .audioAgentLost, .audioPrepared,
            .shutdownRequested:
            return input
        }
    }

    package mutating func replaced(_ effect: Effect) -> Effect {
        switch effect {
        case .perform(let performed): return .perform(performed.with { replaced($0) })
        case .reply(let id, .failed(let error)) where !error.reason.isEmpty:
            let reason = replaced(error.reason, by: "reason")
            return .reply(id, .failed(CallError(error.code, error.message, reason: reason)))
        case .lookUp(let call, let handle?): return .lookUp(call, replaced(handle))
        default: return effect
        }
    }

    private mutating func replaced(_ action: CallAction) -> CallAction {
        switch action {
        case .start(let call, var start):
            start.handle = replaced(start.handle)
            start.contact = replaced(start.contact, by: "contact")
            start.postDial = zeros(for: start.postDial)
            return .start(call, start)
        case .end(let call, let reason):
            // The core's own reasons are words of the contract.
            return .end(call, reason: EndReason(rawValue: reason) == nil ? replaced(reason, by: "reason") : reason)
        case .playDTMF(let call, let digits, let tone):
            return .playDTMF(call, digits: zeros(for: digits), tone: tone)
        case .answerTransfer(let call, let handle?): return .answerTransfer(call, to: replaced(handle))
        case .transfer(let call, .handle(let handle)): return .transfer(call, .handle(replaced(handle)))
        case .answer, .setHeld, .setMuted, .setGroup, .setTranslating, .transfer(_, .call), .answerTransfer(_, nil):
            return action
        }
    }

    /// Keeps the signs that say where to pause and to wait.
    private func zeros(for digits: String) -> String { String(digits.map { $0 == "," || $0 == ";" ? $0 : "0" }) }

    private mutating func replaced(_ update: CallUpdate) -> CallUpdate {
        var update = update
        if let handle = update.remoteHandle { update.remoteHandle = replaced(handle) }
        if let name = update.localizedCallerName { update.localizedCallerName = replaced(name, by: "name") }
        if let name = update.networkName { update.networkName = replaced(name, by: "name") }
        if let handle = update.divertedBy { update.divertedBy = replaced(handle) }
        if case .to(let handle)? = update.transferRequest { update.transferRequest = .to(replaced(handle)) }
        if let image = update.image { update.image = replaced(image, by: "image") }
        return update
    }

    /// Adds the pseudonyms of emergency numbers that were replaced before they were declared.
    private mutating func replaced(_ configuration: ProviderConfiguration) -> ProviderConfiguration {
        var configuration = configuration
        let numbers = configuration.emergencyNumbers
        emergencyNumbers.formUnion(numbers)
        configuration.emergencyNumbers += numbers.compactMap { names["handle \($0)"] }
        if !configuration.iconTemplateImage.isEmpty {
            let number = number(ofIcon: configuration.iconTemplateImage)
            configuration.iconTemplateImage = [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
        }
        return configuration
    }

    /// Returns the number of an icon, by its FNV-1a hash.
    private mutating func number(ofIcon icon: [UInt8]) -> Int {
        let digest = icon.reduce(0xCBF2_9CE4_8422_2325) { (digest: UInt64, byte) in
            (digest ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let number = icons[digest] ?? icons.count
        icons[digest] = number
        return number
    }

    private mutating func replaced(_ handle: Handle) -> Handle {
        guard !emergencyNumbers.contains(handle.asDialed.value) else { return handle }
        // What is decided by the form of a handle stays as it was.
        if handle.isServiceCode { return (try? Handle(type: handle.type, value: "*100#")) ?? handle }
        var (scheme, value) = ("", handle.value)
        if handle.type == .generic, DialString.hasScheme(value), let colon = value.firstIndex(of: ":") {
            scheme = String(value[...colon])
            value.removeSubrange(...colon)
        }
        return (try? Handle(type: handle.type, value: scheme + replaced(value, by: "handle"))) ?? handle
    }

    private mutating func replaced(_ value: String, by word: String) -> String {
        guard !value.isEmpty else { return value }
        if let known = names["\(word) \(value)"] { return known }
        var name: String
        repeat {
            counts[word, default: 0] += 1
            name = "\(word)-\(counts[word, default: 0])"
        } while emergencyNumbers.contains(name)
        names["\(word) \(value)"] = name
        return name
    }
}
