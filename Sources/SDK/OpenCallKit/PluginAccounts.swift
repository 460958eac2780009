// PluginAccounts: hands the user's accounts over to the plugin.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Synchronization

/// Is told of the user's accounts of this plugin. Not in CallKit.
public protocol PluginAccountsDelegate: AnyObject {
    /// An account is to be used: register a provider for it and connect.
    func accountAdded(_ account: PluginAccount)
    /// Settings have changed that need no new connection.
    func accountChanged(_ account: PluginAccount)
    /// An account is no longer to be used, or is added again at once with settings that need a new connection: disconnect,
    /// and invalidate its provider. Otherwise it is invalidated after this call.
    func accountRemoved(_ account: PluginAccount)
}

/// The user's accounts of this plugin. Not in CallKit.
///
/// A plugin with accounts has a file `accounts.ini` in its bundle, with a group of lines for each thing that it wants to know:
///
///     [user]
///     Type = string
///     Label = User name
///     Required = true
///
///     [password]
///     Type = secret
///     Required = true
///     Reconnect = true
///
/// Types are `string`, `boolean`, `number` and `secret`; further words are `Default`, `Values`, `Minimum` and `Maximum`.
public enum PluginAccounts {
    struct Present: Sendable {
        var audience: Audience<any PluginAccountsDelegate>?
        /// All that callkitd has handed over.
        var accounts: [PluginAccount] = []
        /// Those that the delegate knows.
        var told: [PluginAccount] = []
    }

    /// Sets the delegate, which is told of the present accounts.
    /// - Parameters:
    ///   - delegate: the delegate, referenced weakly.
    ///   - queue: the queue on which the delegate is called; nil is the main queue.
    public static func setDelegate(_ delegate: (any PluginAccountsDelegate)?, queue: DispatchQueue? = nil) {
        let audience = Audience(on: queue) { [weak delegate] in delegate }
        let session = SDKSession.current
        session.accounts.withLock { $0.audience = audience }
        Loop.shared.post { tell(in: session) {} }
    }

    static func report(_ account: String, _ state: String, _ problem: String, _ text: String) {
        Loop.shared.post {
            let host = SDKSession.current.connection
            host.call(
                at: host.root, Contract.workerHost, ProviderMember.System.reportAccount, account, state, problem,
                text.withoutNUL
            ) { _ in }
        }
    }

    /// Replaces the present accounts. Calls `then` when the delegate has been told.
    @LoopActor
    static func replace(
        with accounts: [PluginAccount], in session: SDKSession, then: @escaping @LoopActor () -> Void
    ) {
        session.accounts.withLock { present in
            present.accounts = accounts.map { $0.keepingSecrets(of: present.accounts) }
        }
        tell(in: session, then)
    }

    @LoopActor
    private static func tell(in session: SDKSession, _ then: @escaping @LoopActor () -> Void) {
        let (audience, before, now) = session.accounts.withLock { ($0.audience, $0.told, $0.accounts) }
        guard let audience else { return then() }
        session.accounts.withLock { $0.told = now }
        let gone = before.filter { old in !now.contains { $0.isSameConnection(as: old) } }
        // Those that the delegate registers from now on stay.
        let endpoints = session.connection.endpoints(withKeys: Set(gone.map(\.key)))
        session.handOver(to: audience.queue) {
            if let delegate = audience.delegate {
                for account in gone { delegate.accountRemoved(account) }
                for account in now {
                    guard let old = before.first(where: { $0.isSameConnection(as: account) }) else {
                        delegate.accountAdded(account)
                        continue
                    }
                    if old != account { delegate.accountChanged(account) }
                }
            }
            Loop.shared.post {
                for endpoint in endpoints { endpoint.invalidate(announcing: true) }
                then()
            }
        }
    }
}

/// org.opencallkit.AccountsDelegate1, served on a worker's link.
@LoopActor
final class AccountsDelegateObject {
    private unowned let session: SDKSession

    init(_ session: SDKSession) { self.session = session }

    static let interface = Interface<AccountsDelegateObject>(Contract.accountsDelegate) {
        DeferredMethod(ProviderMember.Accounts.setAccounts, in: ["accounts"]) {
            (object: AccountsDelegateObject, invocation: VoidInvocation, accounts: [AccountWire]) in
            // From now on this process has secrets.
            if accounts.contains(where: { !$0.fields.3.isEmpty }) { ProcessMemory.keepPrivate() }
            PluginAccounts.replace(with: accounts.compactMap(PluginAccount.init), in: object.session) {
                invocation.reply()
            }
        }
    }
}
