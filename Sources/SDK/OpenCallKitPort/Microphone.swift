// Microphone: whether this process may record.

/// Linux has no permission to record; what a process can reach, it may use. A sandbox denies it by hiding the sockets of
/// the audio servers.
enum Microphone {
    static var isReachable: Bool { isReachable(ProcessInfo.processInfo.environment, devices: "/dev/snd") }

    /// - Parameters:
    ///   - environment: the variables by which the clients of PipeWire and PulseAudio find their servers.
    ///   - devices: the folder of ALSA's devices.
    static func isReachable(_ environment: [String: String], devices: String) -> Bool {
        hasServerOnTheNetwork(environment)
            || sockets(environment).contains { FileManager.default.isWritableFile(atPath: $0) }
            || recorders(in: devices).contains { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// Whether PulseAudio's clients use a server such as `tcp:studio`, whose name has no path.
    private static func hasServerOnTheNetwork(_ environment: [String: String]) -> Bool {
        environment["PULSE_SERVER"].map { !$0.isEmpty && !$0.contains("/") } ?? false
    }

    /// The sockets of PipeWire and PulseAudio.
    private static func sockets(_ environment: [String: String]) -> [String] {
        let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
        let pipeWire = environment["PIPEWIRE_REMOTE"] ?? "pipewire-0"
        let pulse = environment["PULSE_SERVER"] ?? "\(runtime)/pulse/native"
        return [
            pipeWire.hasPrefix("/") ? pipeWire : "\(runtime)/\(pipeWire)",
            pulse.hasPrefix("unix:") ? String(pulse.dropFirst("unix:".count)) : pulse,
        ]
    }

    /// ALSA's devices that record: their names begin with `pcm` and end with `c`.
    private static func recorders(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix("pcm") && $0.hasSuffix("c") }.map { "\(folder)/\($0)" }
    }
}
