// SecretsRig: callkit-secrets and a keyring, on a bus and in a home of their own.

import CallModel
import CallWire
import DBus
import EventLoop
import Foundation
import TestSupport
import Testing
import WorkerLaunch

/// Runs the real programs: dbus-daemon, gnome-keyring-daemon and callkit-secrets.
@LoopActor
final class SecretsRig {
    nonisolated static let account = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    nonisolated static let other = "00000000-7dec-11d0-a765-00a0c91e6bf6"
    nonisolated static let password = "keyring-password"

    let home: TemporaryFolder
    let bus: PrivateBus
    /// The end of callkit-secrets.
    let exits = Inbox<EventLoop.ExitStatus>()
    /// A value for each KeyringChanged.
    let changes = Inbox<Bool>()
    private(set) var process: LinkedProcess?
    private var keyring: ChildProcess?
    private let keyringExits = Inbox<EventLoop.ExitStatus>()

    init(withBus: Bool = true) async throws {
        home = try TemporaryFolder()
        bus = try await PrivateBus()
        if !withBus { try await bus.stop() }
        try FileManager.default.createDirectory(atPath: home.file("run"), withIntermediateDirectories: false)
    }

    isolated deinit {
        process?.kill()
        keyring?.kill(SIGKILL)
    }

    nonisolated var environment: [String: String] {
        [
            "HOME": home.path, "XDG_RUNTIME_DIR": home.file("run"), "XDG_STATE_HOME": home.file("state"),
            "DBUS_SESSION_BUS_ADDRESS": bus.address, "LC_ALL": "C.UTF-8",
        ]
    }

    nonisolated var folder: String { home.file("state/opencallkit/secrets") }

    // MARK: callkit-secrets

    func start() throws {
        let exits = exits
        let process = try LinkedProcess(
            ProcessEnvironment.executableFolder + "/callkit-secrets", [], environment: environment,
            withSessionBus: true
        ) { _, status in exits.put(status) }
        process.link.onSignal = { [changes] signal in
            #expect(signal.interface == Contract.secrets && signal.member == PrivateMember.Secrets.keyringChanged)
            changes.put(true)
        }
        self.process = process
    }

    /// Ends callkit-secrets as callkitd does, and starts it again.
    func restart() async throws {
        process?.stop()
        #expect(try await exits.next() == .exited(0))
        try start()
    }

    func link() throws -> PrivateLink { try #require(process).link }

    func store(
        _ secret: [UInt8], _ key: String = "password", in storage: String = "keyring",
        account: String = SecretsRig.account
    ) async throws {
        try await link().call(
            at: .secrets, Contract.secrets, PrivateMember.Secrets.store, storage, account, key, secret)
    }

    func lookUp(in storage: String = "keyring", account: String = SecretsRig.account) async throws -> [String: [UInt8]]
    {
        try await link().call(at: .secrets, Contract.secrets, PrivateMember.Secrets.lookUp, storage, account)
    }

    func clear(
        _ key: String = "", in storage: String = "keyring", account: String = SecretsRig.account
    ) async throws {
        try await link().call(at: .secrets, Contract.secrets, PrivateMember.Secrets.clear, storage, account, key)
    }

    func unlock() async throws {
        try await link().call(at: .secrets, Contract.secrets, PrivateMember.Secrets.unlock)
    }

    // MARK: the keyring

    /// Starts gnome-keyring-daemon, and returns when it owns its name.
    ///
    /// - Parameter unlocked: Whether it gets its password at the start. The first time it makes a keyring with it.
    func startKeyring(unlocked: Bool = true) async throws {
        let client = try await Bus.connect(to: bus.address)
        defer { client.close() }
        let before = try? await client.owner(of: Self.secretService)
        let owners = Inbox<String>()
        let watch = client.watchName(Self.secretService, appeared: { owners.put($0) }, vanished: {})
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        do {
            defer { close(ends[0]) }
            let exits = keyringExits
            let words = ["--foreground", "--components=secrets"] + (unlocked ? ["--replace", "--unlock"] : [])
            keyring = try ChildProcess.spawn(
                "/usr/bin/setpriv", ["--pdeathsig", "KILL", "gnome-keyring-daemon"] + words,
                environment: environment.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first },
                descriptors: [0: ends[0], 1: STDERR_FILENO], onExit: { exits.put($0) })
        }
        _ = Self.password.withCString { write(ends[1], $0, strlen($0)) }
        close(ends[1])
        ends[1] = -1
        _ = try await owners.next { $0 != before }
        watch.cancel()
    }

    var keyringIsRunning: Bool { keyring.map { $0.status == nil } ?? false }

    func pauseKeyring() { keyring?.kill(SIGSTOP) }
    func resumeKeyring() { keyring?.kill(SIGCONT) }

    func killKeyring() async throws {
        try #require(keyring).kill(SIGKILL)
        keyring = nil
        _ = try await keyringExits.next()
    }

    nonisolated static let secretService = "org.freedesktop.secrets"

    // MARK: what is where

    /// The files below the home that have these bytes in them.
    func files(with bytes: [UInt8]) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: home.path))
        return all.compactMap { $0 as? String }.filter { name in
            (try? Data(contentsOf: URL(filePath: home.file(name))))?.range(of: Data(bytes)) != nil
        }
    }
}

/// Expects a refusal with this code.
@LoopActor
func expect(_ code: ErrorCode, _ work: @LoopActor () async throws -> Void) async {
    do {
        try await work()
        Issue.record("no refusal, expected \(code.rawValue)")
    } catch {
        #expect((error as? DBusError)?.name == code.busName, "\(error)")
    }
}
