// Clients: who calls, what it may do, and what is refused before it costs anything.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// Identifies each client of the bus when its first call arrives; its calls wait until then. Enforces the tiers: a program of
/// the user may do everything, a sandboxed app what its tiers and its own calls allow. A plugin is the owner of its own calls
/// and no client; a guest may use every member.
@LoopActor
final class Clients: ClientGate {
    private let book = ClientBook()
    private let inspector = ClientInspector()
    private let access = AccessBook()
    private let accessFile: SettingsFile<AccessSettings>
    private let unknownKeys = UnknownKeys()
    /// Those who answered questions which were put to others.
    private var forgers: Set<Owner> = []
    /// How many calls were refused on arrival, or because of a limit.
    private(set) var refused: UInt64 = 0
    private let context: HostContext
    /// Whose providers there are.
    weak var providers: (any ProviderBook)?
    /// Which plugin is at the far end of a link.
    weak var plugins: (any PluginBook)?

    init(_ context: HostContext) {
        self.context = context
        accessFile = SettingsFile("access", of: "the tiers of apps", for: context)
    }

    /// Takes over what was granted when the daemon ran the last time.
    func load() {
        access.settings = accessFile.read()
        accessFile.follow { [access] in access.settings = $0 }
    }

    /// The bus that named the clients is gone.
    func forgetAll() { book.forgetAll() }

    /// A request was refused because of a limit.
    func countRefusal() { refused += 1 }

    // MARK: who calls

    /// Begins to identify a client, unless that has been done.
    ///
    /// - Returns: false if too many clients are being identified.
    private func identify(_ client: String, on bus: Bus) -> Bool {
        if book.knows(client) { return true }
        guard let entry = book.add(client, at: context.clock.now, mentioned: { context.core.mentionedClients }) else {
            return false
        }
        bus.hold(client)
        inspector.inspect(client, on: bus) { [weak self, weak bus] identity in
            if let self, book.settle(entry, identity) { logIdentity(of: client, identity) }
            bus?.release(client)
        }
        return true
    }

    /// Passes on who a client of the bus is, also one that has asked for nothing yet and so is not kept.
    func whenIdentified(_ client: String, _ completion: @escaping @LoopActor (ClientIdentity) -> Void) {
        if let identity = book.identity(of: client) { return completion(identity) }
        guard let bus = context.bus else { return completion(ClientIdentity(.unknown("there is no bus"))) }
        inspector.inspect(client, on: bus, completion: completion)
    }

    private func logIdentity(of client: String, _ identity: ClientIdentity) {
        switch identity.kind {
        case .user: context.log.info("client \(client) is \(identity.text(of: client))")
        case .app: context.log.info("client \(client) is \(identity.text(of: client)), a sandboxed app")
        case .unknown(let reason):
            context.notices.log(
                .notice, "client \(client) is \(identity.text(of: client)): \(reason), so it counts as sandboxed",
                by: identity.owner(client))
        }
    }

    func text(of client: String, at moment: Instant) -> String { book.text(of: client, at: moment) }

    func program(of client: String, at moment: Instant) -> String? { book.program(of: client, at: moment) }

    func client(of caller: CallContext) -> String? {
        providers?.guest(on: caller.channel) == nil ? caller.sender : nil
    }

    func owner(of client: String) -> Owner {
        book.identity(of: client)?.owner(client) ?? (context.bus == nil ? .client(client) : .app(""))
    }

    /// The identity of a client that needs tiers; nil for a program of the user.
    private func restrictedIdentity(of client: String) -> ClientIdentity? {
        let identity = book.identity(of: client) ?? ClientIdentity(.unknown("it has not been identified"))
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

    func providerOwner(of caller: CallContext) throws(CallError) -> ProviderOwner {
        if let client = caller.sender { return .client(client) }
        if let guest = providers?.guest(on: caller.channel) { return .guest(guest.name) }
        if let plugin = plugins?.plugin(on: caller.channel), plugin.saidHello { return .plugin(plugin.id) }
        throw CallError(.accessDenied, "the worker has not said hello")
    }

    func idPrefix(for caller: CallContext) -> String {
        guard caller.channel is Bus, let client = caller.sender, let app = restrictedIdentity(of: client) else {
            return ""
        }
        return ProviderRegistry.idPrefix(of: app, client)
    }

    func share(of caller: CallContext) -> Owner {
        if let client = caller.sender { return owner(of: client) }
        if let guest = providers?.guest(on: caller.channel) { return guest.owner ?? .plugin(guest.name) }
        return .plugin(plugins?.plugin(on: caller.channel)?.id ?? "")
    }

    func request(_ actions: [CallAction], from caller: CallContext) throws(CallError) -> Request {
        var request = Request(actions, by: try requester(of: caller, about: actions.first?.call))
        // A provider's share is known, and so is that of a client whose name is all that is known of it.
        let share = share(of: caller)
        if case .client(let name) = request.requester, share != .client(name) { request.owner = share }
        return request
    }

    /// Who asks. A provider that asks about its own call is remembered as that provider.
    private func requester(of caller: CallContext, about call: CallID?) throws(CallError) -> Requester {
        let owner = try providerOwner(of: caller)
        let owned = providers?.areOwned(by: owner) == true ? providers?.owned(by: owner) ?? [] : []
        if let provider = call.flatMap({ context.core.calls[$0]?.provider }), owned.contains(provider) {
            return .provider(provider)
        }
        if let first = owned.first { return .provider(first) }
        guard case .client(let name) = owner else { throw CallError(.accessDenied, "the plugin has no provider") }
        return .client(name)
    }

    // MARK: arrivals

    private static let maximumForgers = 256

    func watchArrivals(on bus: Bus) {
        bus.group = { [weak self] in self?.holder(of: $0) ?? $0 }
        bus.refusal = { [weak self, weak bus] in
            guard let self, let bus else { return nil }
            let refusal =
                ArrivalLimits.refusal(of: $0, waiting: $1, from: holder(of: $0.sender ?? ""))
                ?? refusalUnlessIdentified($0, on: bus)
            if refusal != nil { refused += 1 }
            return refusal
        }
        bus.onForgedReply = { [weak self] in self?.noteForgery($0) }
    }

    /// Who has sent what waits: a program, or a client that is not identified yet.
    private func holder(of client: String) -> String {
        book.identity(of: client)?.owner(client).description ?? "client \(client)"
    }

    /// Has the sender identified; its calls wait for that.
    private func refusalUnlessIdentified(_ call: Message, on bus: Bus) -> DBusError? {
        guard let client = call.sender, !identify(client, on: bus) else { return nil }
        return CallError(.limitsExceeded, "too many clients wait to be identified, client \(client) among them")
            .dbusError
    }

    func noteForgery(_ answer: Message) {
        guard let sender = answer.sender else { return }
        let owner = owner(of: sender)
        if forgers.count >= Self.maximumForgers { forgers = [] }
        guard forgers.insert(owner).inserted else { return }
        context.anomaly(
            "forged-reply", .system, "client \(sender) answered a question that was put to another one; it is ignored",
            by: owner)
    }

    // MARK: tiers

    /// Refuses what a plugin may not do over its link, and what a client of the bus may not do. A guest may use every
    /// member.
    ///
    /// - Throws: `AccessDenied`.
    func permit(_ use: MemberUse, _ caller: CallContext) throws(DBusError) {
        if caller.channel is Bus { return try permitClient(use, caller) }
        guard caller.channel is PrivateLink else { return }
        // The link of a plugin that was removed belongs to nobody any more.
        let plugin = plugins?.plugin(on: caller.channel)
        guard let plugin, use.kind != .write, allows(use, plugin, caller) else {
            let member = "\(use.kind == .write ? "set " : "")\(use.member) of \(use.interface)"
            throw CallError(
                .accessDenied,
                "plugin \(plugin?.id ?? "") may not \(use.kind == .call ? "call" : "read") \(member) on \(caller.path): "
                    + "over its link a plugin is served for its own calls only"
            ).dbusError
        }
    }

    /// Checks that a client of the bus has the tier for what it does.
    ///
    /// - Throws: `AccessDenied`; the message tells how to grant the tier.
    private func permitClient(_ use: MemberUse, _ caller: CallContext) throws(DBusError) {
        guard let client = caller.sender, let identity = restrictedIdentity(of: client) else { return }
        let rule =
            use.kind == .write
            ? AccessRule.ofSetting(use.member, use.interface) : AccessRule.of(use.member, use.interface)
        // Setting a read-only property fails with D-Bus's own error, not for want of a tier.
        let isReadOnly = use.kind == .write && rule == nil && AccessRule.of(use.member, use.interface) != nil
        let found = rule ?? AccessRule(tier: isReadOnly ? .observe : .administer)
        guard !allows(found, identity, client, at: caller.path) else { return }
        throw refuse(identity, client, use.deed, found.tier).dbusError
    }

    /// Decides which properties are hidden from a client; nil if none are.
    func concealment(for caller: CallContext) -> ObjectTree.Concealment? {
        guard caller.channel is Bus, let client = caller.sender, let identity = restrictedIdentity(of: client) else {
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
    func substitution(for caller: CallContext) -> ObjectTree.Substitution? {
        if mayKnowPeople(caller) { return nil }
        return { object in
            (object as? CallObject)?.asReported ?? object
        }
    }

    func mayKnowPeople(_ caller: CallContext) -> Bool {
        if caller.channel is PrivateLink { return false }
        guard caller.channel is Bus, let client = caller.sender, let identity = restrictedIdentity(of: client) else {
            return true
        }
        return tiers(of: identity).contains(.identity)
    }

    func permitted(_ request: Request, _ caller: CallContext) throws(CallError) -> Request {
        guard caller.channel is Bus, let client = caller.sender, let identity = restrictedIdentity(of: client),
            !tiers(of: identity).contains(.control)
        else { return request }
        var request = request
        guard request.conflict != .end else { throw refuse(identity, client, "end the calls of others", .control) }
        for (index, action) in request.actions.enumerated() {
            if case .start(let call, var start) = action {
                // An app's provider gets emergency calls only if the request names it. Those that it does not take go on.
                let reaches = start.provider.flatMap { context.core.providers[$0] }?.isEmergency(start.handle) ?? false
                guard reaches || !context.core.isEmergency(start.handle) else {
                    throw refuse(identity, client, "dial emergency numbers", .control)
                }
                start.provider = start.provider ?? providers?.owned(by: .client(client)).first
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

    func permittedCallBack(_ request: Request, _ caller: CallContext) throws(CallError) -> Request {
        guard !mayKnowPeople(caller), let client = caller.sender, let identity = restrictedIdentity(of: client) else {
            return request
        }
        var request = request
        for (index, action) in request.actions.enumerated() {
            guard case .start(let call, var start) = action else { continue }
            let provider = try context.core.provider(for: start, request.conflict).id
            guard !owns(client, identity, provider) else {
                throw refuse(identity, client, "call back with a provider of its own", .identity)
            }
            start.provider = provider
            request.actions[index] = .start(call, start)
        }
        return request
    }

    private func allows(_ use: MemberUse, _ plugin: Plugin, _ caller: CallContext) -> Bool {
        switch LinkAccess.of(use.member, use.interface) ?? .nobody {
        case .everyPlugin: true
        case .ownCall:
            (context.tree.object(at: caller.path) as? CallObject).map { object in
                owns((context.core.calls[object.id] ?? object.call).provider, plugin)
            } ?? false
        case .ownProvider:
            (context.tree.object(at: caller.path) as? ProviderObject).map { owns($0.id, plugin) } ?? false
        case .nobody: false
        }
    }

    private func owns(_ provider: ProviderID, _ plugin: Plugin) -> Bool {
        providers?.owner(of: provider) == .plugin(plugin.id)
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
        let shown = (context.tree.object(at: .call(call)) as? CallObject)?.call.provider
        guard let provider = context.core.calls[call]?.provider ?? shown else { return !context.core.knew(call) }
        return owns(client, identity, provider)
    }

    /// Whether the client registered the provider, on this connection or on another one of the same app.
    private func owns(_ client: String, _ identity: ClientIdentity, _ provider: ProviderID) -> Bool {
        guard case .client(let owner)? = providers?.owner(of: provider) else { return false }
        if owner == client { return true }
        guard case .app(let app) = identity.kind else { return false }
        return book.identity(of: owner)?.app == app
    }

    /// What each app was granted and refused.
    var apps: [String: VariantDictionary] { access.apps }

    /// Changes the tiers of an app, for all its connections, once that is written. What is revoked is revoked at once even if
    /// it cannot be written.
    func changeAccess(
        of app: String, _ words: [String], isGranted: Bool, by caller: CallContext
    ) throws(CallError) {
        guard AppID.isValid(app) else {
            throw CallError(
                .invalidArguments,
                "\"\(app.excerpt)\" is not the id of an app, expected 1 to 255 letters, digits, dots, "
                    + "dashes and underscores"
            )
        }
        let tiers = try AccessTier.set(of: words)
        var new = access.settings
        if isGranted { try new.grant(tiers, to: app) } else { new.revoke(tiers, of: app) }
        try accessFile.keep(new, orHold: isGranted ? nil : new) { new in
            guard new != access.settings else { return }
            access.settings = new
            let after = access.tiers(of: app)
            let tiers = after.isEmpty ? "none" : AccessTier.words(of: after).joined(separator: ", ")
            let who = caller.sender.map { book.text(of: $0, at: context.clock.now) } ?? "a guest"
            context.notices.log(
                .notice, "tiers of app \(app), as changed by \(who): \(tiers)", by: caller.sender.map { owner(of: $0) })
        }
    }

    // MARK: refusals

    private func refuse(_ identity: ClientIdentity, _ client: String, _ deed: String, _ tier: AccessTier) -> CallError {
        refused += 1
        let text = Self.sentence(identity, client, deed, tier)
        var isNew = true
        if case .app(let app) = identity.kind {
            isNew = access.refusals[app]?.text != text
            access.note(AccessBook.Refusal(text: text, tier: tier, date: context.clock.now.date), of: app)
        }
        if isNew { context.notices.log(.notice, text, by: identity.owner(client)) } else { context.log.info("\(text)") }
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

    // MARK: unknown keys

    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>, from caller: CallContext) {
        note(wire.keys.filter { !known.contains($0) }, from: caller)
    }

    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>, by owner: Owner) {
        note(wire.keys.filter { !known.contains($0) }, from: "a client", by: owner, at: .system)
    }

    func noteUnknownKeys(
        in entries: [TransactionWire.Entry], options: VariantDictionary, from caller: CallContext
    ) {
        let unknown = entries.flatMap { entry in
            let (kind, arguments) = entry.fields
            let known = TransactionWire.keys(of: kind)
            return arguments.keys.filter { !known.contains($0) }
        }
        note(unknown + options.keys.filter { !RequestOptions.keys.contains($0) }, from: caller)
    }

    private func note(_ unknown: [String], from caller: CallContext) {
        if !unknown.isEmpty { note(unknown, from: "a client", by: share(of: caller), at: .system) }
    }

    func noteUnknownKeys(
        in wire: VariantDictionary, besides known: Set<String>, from sender: String, by owner: Owner,
        at object: ObjectPath
    ) {
        note(wire.keys.filter { !known.contains($0) }, from: sender, by: owner, at: object)
    }

    private func note(_ unknown: [String], from sender: String, by owner: Owner, at object: ObjectPath) {
        guard !unknown.isEmpty, let keys = unknownKeys.note(unknown, by: owner) else { return }
        context.anomaly("unknown-key", object, "\(sender) \(keys)", by: owner)
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
