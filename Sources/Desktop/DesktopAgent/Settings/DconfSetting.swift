// DconfSetting: a setting that is kept in dconf.

import DBus
import EventLoop
import Glibc

/// Follows one key of GSettings. dconf tells of changes on the bus; the value is read by the program gsettings, so that the
/// agent needs no GLib.
@LoopActor
final class DconfSetting: DesktopSetting {
    /// Called with the value as gsettings prints it, such as `true` or `'freedesktop'`.
    var onChange: (@LoopActor (String?) -> Void)?

    private static let script = "gsettings get \"$0\" \"$1\" | head -c 512"
    /// More bytes than the script writes.
    private static let longest = 1_024

    private let schema: String
    private let key: String
    /// The path of the key in dconf.
    private let path: String
    private let environment: [String: String]
    private var subscription: Subscription?
    private var child: ChildProcess?
    /// The end of the child's output that is read here; -1 without a child.
    private var output: Int32 = -1
    private var isOutdated = false
    /// Closed while the value is read.
    private let reading = Gate(isOpen: true)

    /// - Parameters:
    ///   - schema: such as `org.gnome.desktop.sound`; of one with many paths, `schema:/path/`.
    ///   - folder: where the schema is in dconf, such as `/org/gnome/desktop/sound/`.
    ///   - environment: that of gsettings.
    init(_ schema: String, _ key: String, in folder: String, environment: [String: String]) {
        self.schema = schema
        self.key = key
        path = folder + key
        self.environment = environment
    }

    isolated deinit {
        if output >= 0 { close(output) }
    }

    func connected(to bus: Bus) {
        let rule = MatchRule(interface: "ca.desrt.dconf.Writer", member: "Notify")
        subscription = bus.subscribe(rule) { [weak self] message in
            // The prefix of what has changed: this key, or a folder above it.
            guard let self, let (prefix, _, _) = try? message.read(String.self, [String].self, String.self),
                path.hasPrefix(prefix)
            else { return }
            read()
        }
        read()
    }

    func disconnected() { subscription = nil }

    func settle() async { await reading.pass() }

    private func read() {
        guard child == nil else { return isOutdated = true }
        isOutdated = false
        reading.close()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return tell(nil) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[1]) }
        output = ends[0]
        child = try? ChildProcess.spawn(
            "/bin/sh", ["-c", Self.script, schema, key], environment: environment, descriptors: [1: ends[1]]
        ) { [weak self] _ in
            self?.ended()
        }
        if child == nil { tell(readOutput()) }
    }

    private func ended() {
        child = nil
        tell(readOutput())
        if isOutdated { read() }
    }

    /// Returns what the child has written, and closes its output; nil if it has written nothing.
    private func readOutput() -> String? {
        guard output >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = Glibc.read(output, &bytes, bytes.count)
        close(output)
        output = -1
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return text.last == "\n" ? String(text.dropLast()) : text
    }

    private func tell(_ value: String?) {
        if subscription != nil { onChange?(value) }
        if !isOutdated { reading.open() }
    }
}
