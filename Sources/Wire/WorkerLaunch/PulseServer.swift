// PulseServer: how a plugin with the permission `audio` reaches the sound server.

/// The address of the sound server, found as libpulse finds it.
public enum PulseServer: Sendable, Hashable {
    /// A Unix socket.
    case socket(SandboxSocket)
    /// Another value of `PULSE_SERVER`, such as `tcp:host`. It needs the permission `network` too.
    case address(String)

    /// Finds the sound server: `PULSE_SERVER`, or else the socket in `XDG_RUNTIME_DIR`. Reads nothing from the disk.
    ///
    /// - Returns: nil if the environment names none.
    public init?(environment: [String: String]) {
        if let server = environment["PULSE_SERVER"], !server.isEmpty {
            // A list, separated by spaces; each may begin with the name of a machine in braces.
            for element in server.split(separator: " ") {
                var text = element
                if text.hasPrefix("{"), let brace = text.firstIndex(of: "}") {
                    text = text[text.index(after: brace)...]
                }
                if text.hasPrefix("unix:") { text = text.dropFirst("unix:".count) }
                if text.hasPrefix("/"), let socket = SandboxSocket(path: String(text)) {
                    self = .socket(socket)
                    return
                }
            }
            self = .address(server)
        } else if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"), !runtime.hasSuffix("/") {
            self = .socket(SandboxSocket(folder: "\(runtime)/pulse", name: "native"))
        } else {
            return nil
        }
    }
}
