// A process becomes a provider: a worker over its link, an app over the bus.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Files
internal import Glibc
import Logging

extension CallSystemHost {
    func register(
        _ delegate: ObjectPath, _ wire: VariantDictionary, from context: CallContext
    ) throws(CallError) -> ObjectPath {
        let configuration = try ProviderConfiguration(wire: wire)
        try delegate.requireCallable(as: "delegate")
        let owner = try owner(of: context)
        let owned = providers.owned(by: owner)
        if owned.contains(where: { $0.delegate == delegate && machine.providers[$0.id]?.isReady == true }) {
            throw CallError(.invalidArguments, "there is a provider with delegate \(delegate) already")
        }
        let share = share(of: context)
        let most = ProviderRegistry.maximum(of: share)
        // Those that went with an earlier worker make room for it.
        if let gone = owned.first(where: { machine.providers[$0.id]?.isReady != true && $0.delegate != delegate }),
            providers.count(of: share) >= most
        {
            submit(.providerRemoved(gone.id))
        }
        let others = providers.count(of: share) - (owned.contains { $0.delegate == delegate } ? 1 : 0)
        guard others < most else {
            throw CallError(.limitsExceeded, "\(share) \(share.has) \(others) providers, expected at most \(most)")
        }
        let apps = providers.all.values.count { !$0.share.isPlugin }
        guard share.isPlugin || apps < ProviderRegistry.maximum else {
            throw CallError(
                .limitsExceeded, "all apps have \(apps) providers, expected at most \(ProviderRegistry.maximum)")
        }
        if context.channel is Bus { try countRegistration(of: share) }
        let plugin = plugins.plugin(on: context.channel)
        let name = plugin?.id ?? guests[ObjectIdentifier(context.channel)]?.name ?? configuration.localizedName
        let prefix = idPrefix(for: context)
        let wish = ProviderRegistry.wish(name, configuration.key, owner, prefix: prefix)
        let reserved = Set(plugins.plugins.keys).subtracting([plugin?.id ?? ""])
        guard let id = providers.id(for: wish, prefix: prefix, owner: owner, delegate: delegate, except: reserved)
        else {
            throw CallError(.limitsExceeded, "no id is left for a provider")
        }
        let peer = ProviderPeer(channel: context.channel, destination: context.sender, delegate: delegate)
        peer.onCall = { [weak plugin] in plugin?.expectAnswer() }
        let registered = RegisteredProvider(
            id: id, owner: owner, share: share, peer: peer, delegate: delegate,
            resourceFolder: plugin?.resourceFolder ?? "")
        providers[id] = registered
        storeIcon(of: id, configuration)
        if let client = context.sender {
            registered.watch = bus?.watchName(client, appeared: { _ in }, vanished: { [weak self] in self?.left(id) })
        }
        let isPackaged = plugin?.isPackaged ?? guests[ObjectIdentifier(context.channel)]?.isPackaged ?? false
        submit(.providerRegistered(id, configuration, isPackaged: isPackaged, owner: share.unlessItself(id)))
        if plugin != nil { rememberProviders() }
        (tree.object(at: .provider(id)) as? ProviderObject)?
            .noteUnknownKeys(in: wire, besides: ProviderConfiguration.keys)
        earlyRequests.admit()
        // The reply comes first, so that the provider knows its object when it begins.
        Loop.shared.post { [weak self] in
            if self?.providers[id] === registered { self?.tell(id, ProviderMember.Delegate.begin) }
        }
        return ObjectPath.provider(id)
    }

    /// An app left the bus: to its calls it died, and nobody can come back as the same connection.
    private func left(_ id: ProviderID) {
        lost(id)
        submit(.providerRemoved(id))
    }

    /// Reports the loss of a provider to the core, once. Its actions need no timers any more.
    func lost(_ id: ProviderID) {
        guard machine.providers[id]?.isReady == true else { return }
        for action in actions.actions(of: id) { disarm(.action(action)) }
        submit(.providerLost(id))
    }

    /// The bus itself went away, and with it every app that was a provider.
    public func loseBus() {
        bus = nil
        clients.forgetAll()
        for screener in screeners.all { loseScreener(screener.id) }
        if let agent = audioAgents.current { loseAudioAgent(agent.id) }
        loseQuietSources()
        for provider in providers.all.values {
            if case .client = provider.owner { left(provider.id) }
        }
    }

    private func owner(of context: CallContext) throws(CallError) -> ProviderOwner {
        if let client = context.sender { return .client(client) }
        if let guest = guests[ObjectIdentifier(context.channel)] { return .guest(guest.name) }
        if let plugin = plugins.plugin(on: context.channel), plugin.saidHello { return .plugin(plugin.id) }
        throw CallError(.accessDenied, "the worker has not said hello")
    }

    /// The prefix of the ids of a sandboxed app's providers; empty for any other caller.
    private func idPrefix(for context: CallContext) -> String {
        guard context.channel is Bus, let client = context.sender, let app = restrictedIdentity(of: client) else {
            return ""
        }
        return ProviderRegistry.idPrefix(of: app, client)
    }

    /// Whose share what the caller does counts towards. A program or an app has one, whatever it connects with.
    func share(of context: CallContext) -> Owner {
        if let client = context.sender { return owner(of: client) }
        if let guest = guests[ObjectIdentifier(context.channel)] { return guest.owner ?? .plugin(guest.name) }
        return .plugin(plugins.plugin(on: context.channel)?.id ?? "")
    }

    /// A request of the caller, which counts towards its share.
    ///
    /// - Throws: `AccessDenied` for a plugin that has no provider, and so no calls.
    func request(_ actions: [CallAction], from context: CallContext) throws(CallError) -> Request {
        var request = Request(actions, by: try requester(of: context, about: actions.first?.call))
        // A provider's share is known, and so is that of a client whose name is all that is known of it.
        let share = share(of: context)
        if case .client(let name) = request.requester, share != .client(name) { request.owner = share }
        return request
    }

    /// Who asks. A provider that asks about its own call is remembered as that provider.
    private func requester(of context: CallContext, about call: CallID?) throws(CallError) -> Requester {
        let owner = try owner(of: context)
        let owned = providers.areOwned(by: owner) ? providers.owned(by: owner) : []
        if let provider = call.flatMap({ machine.calls[$0]?.provider }), owned.contains(where: { $0.id == provider }) {
            return .provider(provider)
        }
        if let first = owned.first { return .provider(first.id) }
        guard case .client(let name) = owner else { throw CallError(.accessDenied, "the plugin has no provider") }
        return .client(name)
    }

    /// Writes a provider's icon where others can read it; a provider without one has no file.
    func storeIcon(of id: ProviderID, _ configuration: ProviderConfiguration) {
        guard let provider = providers[id] else { return }
        guard !configuration.iconTemplateImage.isEmpty else {
            provider.icon = ""
            return
        }
        do throws(SystemError) {
            let folder = try iconFolder()
            let path = "\(folder)/\(id).png"
            try FileWriter.replace(path, with: configuration.iconTemplateImage)
            provider.icon = path
        } catch {
            log.warning("icon of provider \(id) not stored: \(error)")
            provider.icon = ""
        }
    }

    private func iconFolder() throws(SystemError) -> String {
        guard let folder = configuration.runtimeFolder else { throw SystemError(call: "mkdir", code: ENOENT) }
        try FileWriter.makeFolder(folder)
        // It may have been made by others, for others.
        if configuration.ownRuntimeFolder != nil, chmod(folder, 0o700) != 0 { throw .last("chmod \(folder)") }
        try FileWriter.makeFolder(folder + "/icons")
        return folder + "/icons"
    }

    /// Removes the folder of icons if it is not that of the session, which the session removes.
    public func removeOwnIcons() {
        guard let folder = configuration.ownRuntimeFolder else { return }
        for provider in providers.all.values where !provider.icon.isEmpty { unlink(provider.icon) }
        for path in [folder + "/icons", folder] { rmdir(path) }
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
