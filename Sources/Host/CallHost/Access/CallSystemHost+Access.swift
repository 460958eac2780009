// Enforces the tiers: a program of the user may do everything, a sandboxed app what its tiers and its own calls allow.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// Checks that a client of the bus has the tier for what it does.
    ///
    /// - Throws: `AccessDenied`; the message tells how to grant the tier.
    func permitClient(_ use: MemberUse, _ context: CallContext) throws(DBusError) {
        guard let client = context.sender, let identity = restrictedIdentity(of: client) else { return }
        let rule =
            use.kind == .write
            ? AccessRule.ofSetting(use.member, use.interface) : AccessRule.of(use.member, use.interface)
        // Setting a read-only property fails with D-Bus's own error, not for want of a tier.
        let isReadOnly = use.kind == .write && rule == nil && AccessRule.of(use.member, use.interface) != nil
        let found = rule ?? AccessRule(tier: isReadOnly ? .observe : .administer)
        guard !allows(found, identity, client, at: context.path) else { return }
        throw refuse(identity, client, use.deed, found.tier).dbusError
    }

    /// Decides which properties are hidden from a client; nil if none are.
    func concealment(for context: CallContext) -> ObjectTree.Concealment? {
        guard context.channel is Bus, let client = context.sender, let identity = restrictedIdentity(of: client) else {
            return nil
        }
        return { [weak self] use, path in
            let rule = AccessRule.of(use.member, use.interface) ?? AccessRule(tier: .administer)
            return self?.allows(rule, identity, client, at: path) != true
        }
    }

    /// The objects that a caller reads properties of, if they are not the usual ones. A caller that may not know people
    /// reads its own calls as their provider has reported them, without the names that the user has for the other
    /// parties.
    func substitution(for context: CallContext) -> ObjectTree.Substitution? {
        if mayKnowPeople(context) { return nil }
        return { [self] object in
            (object as? CallObject).map { CallObject($0.call.asReported, host: self) } ?? object
        }
    }

    /// Whether a caller may know who is calling and whom the user knows. Plugins, and sandboxed apps without the tier
    /// `identity`, may not.
    func mayKnowPeople(_ context: CallContext) -> Bool {
        if context.channel is PrivateLink { return false }
        guard context.channel is Bus, let client = context.sender, let identity = restrictedIdentity(of: client) else {
            return true
        }
        return tiers(of: identity).contains(.identity)
    }

    /// Checks a request of a client without the tier `control`: it must concern the client's own calls only.
    ///
    /// - Returns: The request. A call that it starts without naming a provider gets the client's own provider.
    /// - Throws: `AccessDenied`.
    func permitted(_ request: Request, _ context: CallContext) throws(CallError) -> Request {
        guard context.channel is Bus, let client = context.sender, let identity = restrictedIdentity(of: client),
            !tiers(of: identity).contains(.control)
        else { return request }
        var request = request
        guard request.conflict != .end else { throw refuse(identity, client, "end the calls of others", .control) }
        for (index, action) in request.actions.enumerated() {
            if case .start(let call, var start) = action {
                // An app's provider gets emergency calls only if the request names it. Those that it does not take go on.
                let reaches = start.provider.flatMap { machine.providers[$0] }?.isEmergency(start.handle) ?? false
                guard reaches || !machine.isEmergency(start.handle) else {
                    throw refuse(identity, client, "dial emergency numbers", .control)
                }
                start.provider = start.provider ?? providers.owned(by: .client(client)).first?.id
                request.actions[index] = .start(call, start)
                guard let provider = start.provider, owns(client, identity, provider) else {
                    throw refuse(identity, client, "start calls with the providers of others", .control)
                }
            } else {
                for call in [action.call, action.otherCall].compactMap(\.self) where !ownsCall(client, identity, call) {
                    throw refuse(identity, client, "act on call \(call), which is not its own", .control)
                }
            }
        }
        return request
    }

    /// Checks a request to call back the other party of a recent call. The provider that takes the call learns the
    /// handle, so a client without the tier `identity` must not use a provider of its own.
    ///
    /// - Returns: The request, with the provider that takes the call.
    /// - Throws: `AccessDenied`; `UnknownProvider` if no provider can take the call.
    func permittedCallBack(_ request: Request, _ context: CallContext) throws(CallError) -> Request {
        guard !mayKnowPeople(context), let client = context.sender, let identity = restrictedIdentity(of: client) else {
            return request
        }
        var request = request
        for (index, action) in request.actions.enumerated() {
            guard case .start(let call, var start) = action else { continue }
            let provider = try machine.provider(for: start, request.conflict).id
            guard !owns(client, identity, provider) else {
                throw refuse(identity, client, "call back with a provider of its own", .identity)
            }
            start.provider = provider
            request.actions[index] = .start(call, start)
        }
        return request
    }

    // MARK: Identity and ownership

    /// Whose share what a client of the bus does counts towards.
    func owner(of client: String) -> Owner {
        clients.identity(of: client)?.owner(client) ?? (bus == nil ? .client(client) : .app(""))
    }

    /// The identity of a client that needs tiers; nil for a program of the user.
    func restrictedIdentity(of client: String) -> ClientIdentity? {
        let identity = clients.identity(of: client) ?? ClientIdentity(.unknown("it has not been identified"))
        return identity.isUser ? nil : identity
    }

    /// The tiers of a client: all for a program of the user, those that were granted for an app.
    func tiers(of identity: ClientIdentity) -> Set<AccessTier> {
        switch identity.kind {
        case .user: Set(AccessTier.allCases)
        case .app(let app): access.tiers(of: app)
        case .unknown: []
        }
    }

    private func allows(
        _ rule: AccessRule, _ identity: ClientIdentity, _ client: String, at path: ObjectPath
    ) -> Bool {
        if rule.tier == .observe || tiers(of: identity).contains(rule.tier) { return true }
        return switch rule.exception {
        case .none: false
        case .ownCall: Contract.call(at: path.text).map { ownsCall(client, identity, $0) } ?? false
        case .ownProvider: Contract.provider(at: path.text).map { owns(client, identity, $0) } ?? false
        case .ownRequest: true
        }
    }

    /// Whether a call belongs to a provider of the client. True for a call that never existed, so that the request
    /// fails with `UnknownCall`.
    private func ownsCall(_ client: String, _ identity: ClientIdentity, _ call: CallID) -> Bool {
        let shown = (tree.object(at: .call(call)) as? CallObject)?.call.provider
        guard let provider = machine.calls[call]?.provider ?? shown else { return !machine.knew(call) }
        return owns(client, identity, provider)
    }

    /// Whether the client registered the provider, on this connection or on another one of the same app.
    private func owns(_ client: String, _ identity: ClientIdentity, _ provider: ProviderID) -> Bool {
        guard case .client(let owner)? = providers[provider]?.owner else { return false }
        if owner == client { return true }
        guard case .app(let app) = identity.kind else { return false }
        return clients.identity(of: owner)?.app == app
    }

    // MARK: Refusals

    private func refuse(_ identity: ClientIdentity, _ client: String, _ deed: String, _ tier: AccessTier) -> CallError {
        refused += 1
        let text = Self.sentence(identity, client, deed, tier)
        var isNew = true
        if case .app(let app) = identity.kind {
            isNew = access.refusals[app]?.text != text
            access.note(AccessBook.Refusal(text: text, tier: tier, date: clock.now.date), of: app)
        }
        if isNew { notices.log(.notice, text, by: identity.owner(client)) } else { log.info("\(text)") }
        return CallError(.accessDenied, text)
    }

    static func sentence(
        _ identity: ClientIdentity, _ client: String, _ deed: String, _ tier: AccessTier
    ) -> String {
        switch identity.kind {
        case .app(let app):
            "\(app) is not allowed to \(deed); to allow it: callctl access grant \(app) \(tier.rawValue)"
        case .unknown(let reason):
            "\(identity.text(of: client)) is not allowed to \(deed): \(reason), so it counts as sandboxed, and nothing can be "
                + "granted to it"
        case .user: "\(identity.text(of: client)) is not allowed to \(deed)"
        }
    }
}

extension MemberUse {
    /// The use as the end of the sentence "… is not allowed to …": `read CallIdentity1.Handle`.
    fileprivate var deed: String {
        let verb =
            switch kind {
            case .call: "call"
            case .read: "read"
            case .write: "set"
            }
        return "\(verb) \(interface.split(separator: ".").last ?? "").\(member)"
    }
}

extension CallAction {
    /// The second call that an action concerns, such as the other member of a group; nil if there is none.
    fileprivate var otherCall: CallID? {
        switch self {
        case .setGroup(_, let other): other
        case .transfer(_, .call(let other)): other
        default: nil
        }
    }
}
