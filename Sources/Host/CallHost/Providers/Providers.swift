// Providers: who takes calls, how they are told what to perform, and what they answer.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// A process becomes a provider, a worker over its link and an app over the bus; it performs actions, and it is lost.
@LoopActor
final class Providers: ProviderBook {
    let choices: ProviderChoices
    let icons: ProviderIcons
    let context: HostContext
    unowned let clients: any ClientGate
    /// Which plugin is at the far end of a link.
    weak var plugins: (any PluginBook)?
    /// Called before an incoming call is reported.
    let beforeIncomingCall: @LoopActor () -> Void
    private let registry = ProviderRegistry()
    private var actions = ActionBook()
    private(set) lazy var serviceCodes = ServiceCodes(of: self)
    private let updateStorms: UpdateStorms
    private var registrations = RateLimits()
    /// How many custom actions and service codes each owner has under way.
    private var customActions: [Owner: Int] = [:]
    /// Who is at the far end of a channel that is neither the bus nor a worker's link.
    private var guests: [ObjectIdentifier: Guest] = [:]
    private let onRegistration: @LoopActor () -> Void
    /// Called when a provider is shown, or is not shown any more.
    var onChange: @LoopActor () -> Void = {}

    /// - Parameter onRegistration: Called when a provider has come.
    init(
        _ context: HostContext, _ clients: any ClientGate, beforeIncomingCall: @escaping @LoopActor () -> Void,
        onRegistration: @escaping @LoopActor () -> Void
    ) {
        self.context = context
        self.clients = clients
        self.beforeIncomingCall = beforeIncomingCall
        self.onRegistration = onRegistration
        choices = ProviderChoices(context)
        icons = ProviderIcons(context.configuration, context.log)
        updateStorms = UpdateStorms(most: context.configuration.updatesPerSecond)
    }

    // MARK: whose they are

    subscript(id: ProviderID) -> RegisteredProvider? { registry[id] }

    func owner(of provider: ProviderID) -> ProviderOwner? { registry[provider]?.owner }
    func owned(by owner: ProviderOwner) -> [ProviderID] { registry.owned(by: owner).map(\.id) }
    func areOwned(by owner: ProviderOwner) -> Bool { registry.areOwned(by: owner) }

    func guest(on channel: any MessageChannel) -> Guest? { guests[ObjectIdentifier(channel)] }

    /// Removes the icons' folder if it is not that of the session, which the session removes.
    func removeOwnIcons() { icons.removeOwn(of: registry.all.values) }

    /// Notes who is at the far end of a channel; nil for nobody.
    func set(_ guest: Guest?, on channel: any MessageChannel) { guests[ObjectIdentifier(channel)] = guest }

    /// The channel is closed: what the guest was provider of has died.
    func guestLeft(_ channel: any MessageChannel) {
        guard let guest = guests.removeValue(forKey: ObjectIdentifier(channel)) else { return }
        context.tree.unserve(channel)
        for provider in owned(by: .guest(guest.name)) { lose(provider) }
    }

    // MARK: coming and going

    func register(
        _ delegate: ObjectPath, _ wire: VariantDictionary, from caller: CallContext
    ) throws(CallError) -> ObjectPath {
        let plugin = plugins?.plugin(on: caller.channel)
        do throws(CallError) {
            let path = try register(delegate, wire, from: caller, plugin)
            plugin?.registered(nil)
            return path
        } catch {
            if let plugin {
                // The message quotes the plugin, which may write who calls.
                plugin.registered(error.code.rawValue)
                context.notices.log(
                    .warning, "plugin \(plugin.id): its provider was refused: \(error.code.rawValue)",
                    by: .plugin(plugin.id))
            }
            throw error
        }
    }

    private func register(
        _ delegate: ObjectPath, _ wire: VariantDictionary, from caller: CallContext, _ plugin: Plugin?
    ) throws(CallError) -> ObjectPath {
        if let plugin, plugin.isLeaving {
            throw CallError(.invalidAction, "the worker of plugin \(plugin.id) is being ended")
        }
        let configuration = try ProviderConfiguration(wire: wire)
        try ProviderIcons.check(configuration)
        try delegate.requireCallable(as: "delegate")
        let owner = try clients.providerOwner(of: caller)
        let owned = registry.owned(by: owner)
        if owned.contains(where: { $0.delegate == delegate && context.core.providers[$0.id]?.isReady == true }) {
            throw CallError(.invalidArguments, "there is a provider with delegate \(delegate) already")
        }
        let name = plugin?.id ?? guest(on: caller.channel)?.name ?? configuration.localizedName
        let prefix = clients.idPrefix(for: caller)
        let isApp = if case .client = owner { true } else { false }
        let wish = ProviderID.wish(name: name, key: configuration.key, isApp: isApp, prefix: prefix)
        let former = registry.former(wish, owner: owner, delegate: delegate) { [context] in
            context.core.providers[$0]?.isReady == true
        }
        let share = clients.share(of: caller)
        let most = ProviderRegistry.maximum(of: share)
        // Those that went with an earlier worker make room for it.
        if let gone = owned.first(where: { context.core.providers[$0.id]?.isReady != true && $0.id != former }),
            registry.count(of: share) >= most
        {
            context.submit(.providerRemoved(gone.id))
        }
        let others = registry.count(of: share) - (former == nil ? 0 : 1)
        guard others < most else {
            throw CallError(.limitsExceeded, "\(share) \(share.has) \(others) providers, expected at most \(most)")
        }
        let apps = registry.all.values.count { !$0.share.isPlugin }
        guard share.isPlugin || apps < ProviderRegistry.maximum else {
            throw CallError(
                .limitsExceeded, "all apps have \(apps) providers, expected at most \(ProviderRegistry.maximum)")
        }
        if caller.channel is Bus { try countRegistration(of: share) }
        let otherPlugins = (plugins?.ids ?? []).subtracting([plugin?.id ?? ""])
        let isTaken = { [registry] (id: ProviderID) in registry[id] != nil || otherPlugins.contains(id.rawValue) }
        guard let id = former ?? ProviderID(wish: wish, prefix: prefix, isTaken: isTaken) else {
            throw CallError(.limitsExceeded, "no id is left for a provider")
        }
        let peer = ProviderPeer(channel: caller.channel, destination: caller.sender, delegate: delegate)
        peer.onCall = { [weak plugin] in plugin?.expectAnswer() }
        let registered = RegisteredProvider(
            id: id, wish: wish, owner: owner, share: share, peer: peer, delegate: delegate,
            resourceFolder: plugin?.resourceFolder ?? "")
        registry[id] = registered
        icons.store(configuration, of: registered)
        if let client = caller.sender {
            registered.watch = context.bus?.watchName(
                client, appeared: { _ in }, vanished: { [weak self] in self?.left(id) })
        }
        let isPackaged = plugin?.version.isPackaged ?? guest(on: caller.channel)?.isPackaged ?? false
        context.submit(.providerRegistered(id, configuration, isPackaged: isPackaged, owner: share.unlessItself(id)))
        if plugin != nil { choices.remember() }
        (context.tree.object(at: .provider(id)) as? ProviderObject)?
            .noteUnknownKeys(in: wire, besides: ProviderConfiguration.keys)
        onRegistration()
        // The reply comes first, so that the provider knows its object when it begins.
        Loop.shared.post { [weak self] in
            if self?.registry[id] === registered { self?.tell(id, ProviderMember.Delegate.begin) }
        }
        return ObjectPath.provider(id)
    }

    /// An app left the bus: to its calls it died, and nobody can come back as the same connection.
    private func left(_ id: ProviderID) {
        lose(id)
        context.submit(.providerRemoved(id))
    }

    /// Its actions need no timers any more.
    func lose(_ id: ProviderID) {
        guard context.core.providers[id]?.isReady == true else { return }
        for action in actions.actions(of: id) { context.disarm(.action(action)) }
        context.submit(.providerLost(id))
    }

    /// The bus itself went away, and with it every app that was a provider.
    func loseApps() {
        serviceCodes.loseClients()
        for provider in registry.all.values {
            if case .client = provider.owner { left(provider.id) }
        }
    }

    // MARK: what is shown

    func add(_ provider: Provider) {
        let object = ProviderObject(provider, of: self)
        context.tree.export(object, at: object.path, ProviderObject.providerInterface, ProviderObject.hostInterface)
        onChange()
    }

    func change(_ provider: Provider) {
        guard let object = context.tree.object(at: ObjectPath.provider(provider.id)) as? ProviderObject else { return }
        context.tree.propertiesChanged(at: object.path, Contract.provider, object.update(provider))
    }

    func remove(_ provider: ProviderID) {
        context.tree.remove(ObjectPath.provider(provider))
        registry[provider] = nil
        onChange()
    }

    /// The reply of FindProviders.
    ///
    /// - Parameter normalized: the handle in the form in which it is compared; nil if the store does not tell.
    func candidates(for start: StartRequest, _ normalized: String?) -> [VariantDictionary] {
        let isEmergency = context.core.isEmergency(start.handle)
        return context.core.candidates(for: start).map { candidate in
            let provider = candidate.provider
            var wire: VariantDictionary = [
                "provider-id": .string(provider.id.rawValue), "name": .string(provider.configuration.localizedName),
                "takes": .bool(candidate.reason == nil), "reason": .string(candidate.reason ?? ""),
                "emergency": .bool(isEmergency),
            ]
            wire.set("provider", ObjectPath.provider(provider.id))
            wire.set("handle", start.handle.wire)
            wire.set("normalized", normalized)
            if !start.postDial.isEmpty { wire.set("post-dial", start.postDial) }
            wire.set("hide-number", start.hidesNumber)
            return wire
        }
    }

    // MARK: actions

    /// A provider that has not released the audio by then is not waited for; the core gave up long before.
    private static let releaseTimeout = Duration.seconds(60)

    /// Has the channels hand over what has arrived on them.
    func handleArrived() {
        for provider in registry.all.values { provider.peer.handleArrived() }
    }

    /// Sends a provider a message that needs no answer.
    func tell<each Argument: DBusType>(
        _ provider: ProviderID, _ member: String, _ arguments: repeat each Argument
    ) {
        do throws(DBusError) {
            try registry[provider]?.peer.notify(member, repeat each arguments)
        } catch {
            context.log.error("\(member) was not sent to provider \(provider): \(error)")
        }
    }

    func perform(_ action: PerformedAction) {
        guard let peer = registry[action.provider]?.peer else { return lose(action.provider) }
        context.arm(.action(action.id), at: action.deadline)
        let wire = PerformWire(
            id: context.identifiers.text(of: action.id), action: action.action,
            transaction: context.identifiers.text(of: action.transaction), deadline: action.deadline.date,
            part: action.part)
        do throws(DBusError) {
            guard let key = try peer.send(wire) else { return lose(action.provider) }
            actions.add(ActionBook.Entry(action: action.id, provider: action.provider, peer: peer), key)
        } catch {
            context.submit(.actionFailed(action.id, reason: error.message))
        }
    }

    /// Receives a reply that no call waits for: the answer to an action, be it the first or one too many.
    func receiveReply(_ message: Message, on channel: any MessageChannel) {
        guard let entry = actions[ActionBook.Key(channel, message.replySerial)] else { return }
        guard entry.peer.isAnswer(message) else { return clients.noteForgery(message) }
        entry.peer.verify(message.error.map { .failure($0) } ?? .success(message)) { [weak self] result in
            self?.complete(entry.action, of: entry.provider, result)
        }
    }

    /// Takes a reply as fulfilment and an error as failure; a provider that is gone is lost.
    private func complete(_ action: ActionID, of provider: ProviderID, _ result: Result<Message, DBusError>) {
        context.disarm(.action(action))
        switch result {
        case .success(let message):
            // A reply with other arguments, or with none, fulfils the action all the same.
            let wire = (try? message.read(VariantDictionary.self)) ?? [:]
            (context.tree.object(at: .provider(provider)) as? ProviderObject)?
                .noteUnknownKeys(in: wire, besides: PerformResult.keys)
            do throws(CallError) {
                let result = try PerformResult(wire: wire)
                context.submit(.actionFulfilled(action, date: result.date ?? 0, engine: result.engine))
            } catch {
                context.submit(.actionFailed(action, reason: error.message))
            }
        case .failure(let error) where ProviderPeer.meansGone(error): lose(provider)
        case .failure(let error):
            context.submit(.actionFailed(action, RefusalWord(busName: error.name), reason: error.words))
        }
    }

    func deactivateAudio(_ id: ProviderID) {
        guard let peer = registry[id]?.peer else { return context.submit(.audioReleased(id)) }
        peer.call(
            ProviderMember.Delegate.audioSessionDeactivated, timeout: Self.releaseTimeout
        ) { [weak self] result in
            switch result {
            case .failure(let error) where ProviderPeer.meansGone(error): self?.lose(id)
            case .failure(let error) where error.name == DBusError.Name.timeout: break
            case .success, .failure: self?.context.submit(.audioReleased(id))
            }
        }
    }

    /// Counts a custom action or a service code that begins.
    ///
    /// - Throws: `LimitsExceeded` if the owner has too many under way.
    func beginCustomAction(of owner: Owner) throws(CallError) {
        let own = customActions[owner, default: 0]
        guard own < Self.maximumCustomActions else {
            throw CallError(
                .limitsExceeded,
                "\(owner) \(owner.has) \(own) custom actions and service codes under way, expected at most "
                    + "\(Self.maximumCustomActions)")
        }
        customActions[owner] = own + 1
    }

    func endCustomAction(of owner: Owner) {
        let left = customActions[owner, default: 1] - 1
        customActions[owner] = left > 0 ? left : nil
    }

    /// Of one owner.
    private static let maximumCustomActions = 16

    // MARK: limits

    /// - Throws: `LimitsExceeded` if the provider's owner has reported too many updates. A plugin is quarantined for it.
    func requireCalm(_ provider: ProviderID) throws(CallError) {
        guard let registered = registry[provider] else { return }
        let owner = registered.share
        let verdict = updateStorms.count(owner, at: context.clock.now)
        guard verdict != .calm else { return }
        let most = context.configuration.updatesPerSecond
        if verdict == .begins {
            let text = "reported over \(most) updates a second for seconds"
            context.anomaly("update-storm", .provider(provider), "\(owner) \(text)", by: owner)
            if case .plugin(let id) = registered.owner { plugins?.quarantine(id, "its provider \(provider) \(text)") }
        }
        throw CallError(.limitsExceeded, "\(owner) reports too many updates, expected at most \(most) a second")
    }

    /// Counts a registration of a client of the bus.
    ///
    /// - Throws: `LimitsExceeded` if the owner has registered too many providers lately.
    private func countRegistration(of owner: Owner) throws(CallError) {
        let most: UInt64 = owner.isModest ? 5 : 20
        guard registrations.take(owner, RateLimit(burst: 10 * most, every: 1_000_000 / most), at: context.clock.now)
        else {
            throw CallError(
                .limitsExceeded,
                "\(owner) \(owner.has) registered too many providers, expected at most \(10 * most) at once and \(most) a "
                    + "second")
        }
    }
}

extension Owner {
    /// What the core is told: nothing of a plugin whose provider has its name.
    fileprivate func unlessItself(_ provider: ProviderID) -> Owner? { self == .plugin(provider.rawValue) ? nil : self }
}

extension ObjectPath {
    /// The longest path of a delegate in bytes: it travels with each message to that delegate.
    private static let maximumBytes = 1_024

    /// Refuses what is not to be called back at.
    func requireCallable(as role: String) throws(CallError) {
        guard self != .root else {
            throw CallError(.invalidArguments, "the \(role)'s path is /, expected that of an object")
        }
        let count = text.utf8.count
        guard count <= Self.maximumBytes else {
            throw CallError(
                .invalidArguments, "the \(role)'s path has \(count) bytes, expected at most \(Self.maximumBytes)")
        }
    }
}
