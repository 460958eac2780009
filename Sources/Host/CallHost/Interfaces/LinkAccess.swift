// What a plugin may call on its link: its own provider and calls, directories, and the state of all calls.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Who may call the methods of an interface over a plugin's link, or read its properties.
enum LinkAccess {
    /// The method sees to it itself: it takes only what belongs to the caller.
    case checkedLater
    case everybody
    /// The plugin to whose provider the call, or the provider, belongs.
    case owner
    case nobody

    /// The methods, by interface and member; `*` stands for those that are not named.
    private static let methods: [String: [String: LinkAccess]] = [
        StandardInterface.peer: ["*": .everybody],
        StandardInterface.introspectable: ["*": .everybody],
        StandardInterface.objectManager: ["*": .nobody],
        Contract.callSystem: [
            ProviderMember.System.registerProvider: .checkedLater,
            ProviderMember.System.requestTransaction: .checkedLater, "SimulateTransaction": .checkedLater,
            "*": .nobody,
        ],
        Contract.call: ["*": .owner],
        Contract.provider: ["*": .owner],
        Contract.providerHost: ["*": .owner],
        // An app's directory is often a plugin of its own.
        Contract.directoryExtension: ["Reload": .everybody, "*": .nobody],
    ]

    /// The properties, by interface. They are read; nobody sets one.
    private static let properties: [String: LinkAccess] = [
        Contract.call: .everybody, Contract.callIdentity: .owner, Contract.provider: .owner,
        Contract.directoryExtension: .everybody,
    ]

    @LoopActor
    static func to(_ message: Message) -> LinkAccess {
        guard let interface = message.interface, let member = message.member else { return .nobody }
        guard interface == StandardInterface.properties else {
            let members = methods[interface] ?? [:]
            return members[member] ?? members["*"] ?? .nobody
        }
        if member == "GetAll", let interface = try? message.read(String.self) {
            return properties[interface] ?? .nobody
        }
        if member == "Get", let (interface, _) = try? message.read(String.self, String.self) {
            return properties[interface] ?? .nobody
        }
        return .nobody
    }
}

extension CallSystemHost {
    /// The error for a call over a plugin's link that is not the plugin's to make; nil if it may be made.
    func refusal(of message: Message, from plugin: Plugin) -> CallError? {
        let path = message.path?.text ?? ""
        let isAllowed =
            switch LinkAccess.to(message) {
            case .everybody, .checkedLater: true
            case .nobody: false
            case .owner: Contract.call(at: path).map { isOwn($0, of: plugin) } ?? isOwnProvider(at: path, of: plugin)
            }
        guard !isAllowed else { return nil }
        return CallError(
            .accessDenied,
            "plugin \(plugin.id) may use its own provider and calls, and not \(message.member ?? "") of \(path)")
    }

    /// Leaves a request of a plugin as it is if it concerns the plugin's own calls only. A call that it starts without a
    /// provider is started with its own.
    ///
    /// - Throws: `AccessDenied`.
    func requireOwn(_ request: inout Request, from context: CallContext) throws(CallError) {
        guard let plugin = plugins.plugin(on: context.channel) else { return }
        for index in request.actions.indices {
            if case .start(let call, var start) = request.actions[index] {
                let own = providers.owned(by: .plugin(plugin.id)).map(\.id)
                start.provider = start.provider ?? own.first
                guard let provider = start.provider, own.contains(provider) else {
                    throw denied("start calls with another provider", plugin)
                }
                request.actions[index] = .start(call, start)
            } else if !isOwn(request.actions[index].call, of: plugin) {
                throw denied("act on call \(request.actions[index].call)", plugin)
            }
        }
    }

    private func denied(_ what: String, _ plugin: Plugin) -> CallError {
        CallError(.accessDenied, "plugin \(plugin.id) may not \(what), only on its own calls")
    }

    /// A call that is not there is nobody's secret: what is asked of it fails by itself.
    private func isOwn(_ call: CallID, of plugin: Plugin) -> Bool {
        guard let provider = machine.calls[call]?.provider else { return true }
        return providers[provider]?.owner == .plugin(plugin.id)
    }

    private func isOwnProvider(at path: String, of plugin: Plugin) -> Bool {
        guard let id = Contract.provider(at: path), let provider = providers[id] else { return true }
        return provider.owner == .plugin(plugin.id)
    }
}
