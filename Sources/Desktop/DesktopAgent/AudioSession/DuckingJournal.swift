// DuckingJournal: what was lowered, on disk, in case the agent is killed meanwhile.

import EventLoop
import Files
import Sound

/// A stream whose volume was lowered.
struct DuckedStream: Sendable, Equatable {
    let index: UInt32
    /// The server's name for what it remembers of the application's streams; "" if it remembers nothing.
    let key: String
    let original: ChannelVolumes
    let lowered: ChannelVolumes

    /// Whether a volume is the one that was set here: a server may round it.
    func isLowered(_ volume: ChannelVolumes) -> Bool {
        let tolerance: UInt32 = ChannelVolumes.norm / 200
        return volume.values.count == lowered.values.count
            && zip(volume.values, lowered.values).allSatisfy { max($0, $1) - min($0, $1) <= tolerance }
    }
}

/// The file with the lowered streams. It exists as long as something is lowered.
@LoopActor
final class DuckingJournal {
    private var file: KeptFile?

    /// More lines than there are streams.
    private static let maximumLines = 256

    /// - Parameter environment: with `XDG_RUNTIME_DIR`; without it, nothing is kept.
    init(environment: [String: String]) {
        let path = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/opencallkit/ducked" : nil }
        file = path.map { KeptFile($0, longest: ConfigurationText.longest) }
    }

    /// What an agent that was killed has left, as far as it can be read.
    func read() -> [DuckedStream] {
        guard let bytes = try? file?.read() else { return [] }
        let entries = ConfigurationText(String(decoding: bytes, as: UTF8.self)).entries
        let streams = entries.prefix(Self.maximumLines).compactMap(DuckedStream.init)
        if streams.count < entries.count { file?.noteDamage() }
        return streams
    }

    /// Writes the streams before they are changed; none removes the file.
    ///
    /// - Throws: the failed call, also if there is a file that could not be read; then nothing may be lowered.
    func write(_ streams: [DuckedStream]) throws(SystemError) {
        if streams.isEmpty { return try file?.remove() ?? () }
        var text = ConfigurationText("# What callkit-desktop has lowered: index = volumes, positions, key\n")
        for stream in streams { text.set(String(stream.index), to: stream.line) }
        try file?.replace(with: Array(text.text.utf8))
    }
}

extension DuckedStream {
    fileprivate init?(_ entry: ConfigurationText.Entry) {
        guard let index = UInt32(entry.key),
            let fields = entry.value?.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false),
            fields.count == 4
        else { return nil }
        let (original, lowered) = (Self.numbers(fields[0], UInt32.self), Self.numbers(fields[1], UInt32.self))
        let positions = Self.numbers(fields[2], Int32.self)
        guard (1...32).contains(original.count), original.count == lowered.count, original.count == positions.count
        else { return nil }
        self.index = index
        self.original = ChannelVolumes(values: original, positions: positions)
        self.lowered = ChannelVolumes(values: lowered, positions: positions)
        key = String(fields[3])
    }

    fileprivate var line: String {
        func text(_ numbers: [some BinaryInteger]) -> String { numbers.map { String($0) }.joined(separator: ",") }
        // A key with a line break, which no application has, is not kept.
        let name = key.contains(where: \.isNewline) ? "" : key
        return "\(text(original.values)) \(text(lowered.values)) \(text(original.positions)) \(name)"
    }

    private static func numbers<Number: FixedWidthInteger>(_ text: Substring, _: Number.Type) -> [Number] {
        text.split(separator: ",").compactMap { Number($0) }
    }
}
