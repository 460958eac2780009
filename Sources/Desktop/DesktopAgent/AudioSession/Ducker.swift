// Ducker: lowers what others play, and gives it back.

import CallClient
import EventLoop
import Glibc
import Logging
import Sound

/// Lowers the streams that are not calls while a call is heard. What the user changes meanwhile stays as it is.
@LoopActor
final class Ducker {
    /// The share of the amplitude that is left.
    private static let share = 0.2
    /// The property with the name of what the server remembers of an application.
    private static let keyProperty = "module-stream-restore.id"
    /// The most streams that are lowered.
    private static let maximumStreams = 128

    private let context: DesktopContext
    private let journal: DuckingJournal
    /// The processes whose streams are left alone.
    private let exempt: @LoopActor () -> Set<UInt32>
    private var ducked: [DuckedStream] = []
    /// Streams that ended lowered. WirePlumber 0.5 lets nobody correct what it remembers of them, so the next stream of
    /// the application begins lowered, and is put right then.
    private var owed: [DuckedStream] = []
    /// The streams whose volume the user has changed meanwhile.
    private var touched: Set<UInt32> = []
    private var isWanted = false
    /// What is done one after the other.
    private var work: Task<Void, Never>?

    init(_ context: DesktopContext, exempt: @escaping @LoopActor () -> Set<UInt32>) {
        self.context = context
        self.exempt = exempt
        journal = DuckingJournal(environment: context.environment)
        ducked = journal.read()
        context.sound.observe { [weak self] in self?.handle($0) }
    }

    var count: Int { isWanted ? ducked.count : 0 }

    /// Lowers what plays, and what begins to play, until `restore`.
    func duck() async {
        isWanted = true
        await enqueue { await $0.duckNow() }
    }

    func restore() async {
        isWanted = false
        await enqueue { await $0.restoreNow() }
    }

    private func handle(_ change: SoundServerChange) {
        switch change {
        // What an agent that was killed has left, or this one before the server was restarted.
        case .ready:
            Task {
                await enqueue { await $0.restoreNow() }
                if isWanted { await enqueue { await $0.duckNow() } }
            }
        case .event(let event) where event.subject == .playback && isWanted:
            Task { await enqueue { event.change == .removed ? await $0.repair() : await $0.duckNow() } }
        case .event(let event) where event.subject == .playback && event.change != .removed && !owed.isEmpty:
            Task { await enqueue { await $0.settle() } }
        case .event, .lost: break
        }
    }

    /// Does one thing after the other, so that each sees what the last one has done.
    private func enqueue(_ body: @escaping @LoopActor (Ducker) async -> Void) async {
        let before = work
        let next = Task { [weak self] in
            await before?.value
            if let self { await body(self) }
        }
        work = next
        await next.value
    }

    private func duckNow() async {
        guard isWanted, let streams = try? await context.sound.playbackStreams() else { return }
        leaveTouched(streams)
        var lowered: [DuckedStream] = []
        for stream in streams where isDuckable(stream) {
            let key = stream.properties[Self.keyProperty] ?? ""
            let known = (ducked + owed).first { !key.isEmpty && $0.key == key && $0.isLowered(stream.volume) }
            // The server gives a new stream the volume of the last one, which was lowered already.
            let original = known?.original ?? stream.volume
            lowered.append(
                DuckedStream(
                    index: stream.index, key: key, original: original,
                    lowered: known?.lowered ?? original.scaled(by: Self.share)))
        }
        guard !lowered.isEmpty else { return }
        ducked += lowered
        do throws(SystemError) {
            try journal.write(ducked)
        } catch {
            ducked.removeLast(lowered.count)
            return context.log.warning("nothing is lowered, since it cannot be noted: \(error)")
        }
        for stream in lowered {
            owed.removeAll { $0.key == stream.key }
            try? await context.sound.setVolume(stream.lowered, ofPlayback: stream.index)
        }
    }

    /// Leaves those alone that are neither as they were before nor as they were set here: the user has changed them.
    private func leaveTouched(_ streams: [PlaybackStream]) {
        for stream in streams {
            guard let entry = ducked.first(where: { $0.index == stream.index }), !entry.isLowered(stream.volume),
                stream.volume.values != entry.original.values
            else { continue }
            touched.insert(stream.index)
            ducked.removeAll { $0.index == stream.index }
            try? journal.write(ducked)
        }
    }

    private func isDuckable(_ stream: PlaybackStream) -> Bool {
        let pid = stream.properties["application.process.id"].flatMap { UInt32($0) }
        return stream.isVolumeWritable && !stream.isMuted && !stream.isCorked && !stream.volume.values.isEmpty
            && ducked.count < Self.maximumStreams && !ducked.contains { $0.index == stream.index }
            && !touched.contains(stream.index)
            && stream.properties["media.role"] != "phone" && pid != UInt32(getpid())
            && !(pid.map { exempt().contains($0) } ?? false)
    }

    /// Gives back what was lowered and not changed since.
    private func restoreNow() async {
        touched = []
        guard !ducked.isEmpty, let streams = try? await context.sound.playbackStreams() else { return }
        for entry in ducked {
            let stream = streams.first {
                $0.index == entry.index && ($0.properties[Self.keyProperty] ?? "") == entry.key
            }
            if let stream, entry.isLowered(stream.volume) {
                try? await context.sound.setVolume(entry.original, ofPlayback: entry.index)
            }
            if stream == nil { owe(entry) }
        }
        await remember(ducked)
        ducked = []
        try? journal.write([])
    }

    /// Puts right what the server remembers of streams that have ended.
    private func repair() async {
        guard let streams = try? await context.sound.playbackStreams() else { return }
        let living = Set(streams.map(\.index))
        let gone = ducked.filter { !living.contains($0.index) }
        guard !gone.isEmpty else { return }
        // A key that another lowered stream has is put right with that one.
        let kept = Set(ducked.filter { living.contains($0.index) }.map(\.key))
        let ended = gone.filter { !kept.contains($0.key) }
        await remember(ended)
        ended.forEach(owe)
        ducked.removeAll { entry in gone.contains(entry) }
        try? journal.write(ducked)
    }

    private func owe(_ entry: DuckedStream) {
        owed.removeAll { $0.key == entry.key }
        if !entry.key.isEmpty, owed.count < Self.maximumStreams { owed.append(entry) }
    }

    /// Gives the streams that have begun lowered after the call what they are owed.
    private func settle() async {
        guard !isWanted, let streams = try? await context.sound.playbackStreams() else { return }
        for stream in streams {
            let key = stream.properties[Self.keyProperty] ?? ""
            guard let entry = owed.first(where: { $0.key == key && $0.isLowered(stream.volume) }) else { continue }
            owed.removeAll { $0.key == key }
            try? await context.sound.setVolume(entry.original, ofPlayback: stream.index)
        }
    }

    /// Corrects what the server gives the next streams of these applications. PipeWire may not have noted it yet.
    private func remember(_ entries: [DuckedStream]) async {
        guard let memories = try? await context.sound.streamMemories() else { return }
        for entry in entries where !entry.key.isEmpty {
            var memory =
                memories.first { $0.name == entry.key }
                ?? StreamMemory(name: entry.key, volume: entry.lowered, device: nil, isMuted: false)
            guard entry.isLowered(memory.volume) else { continue }
            memory.volume = entry.original
            try? await context.sound.remember(memory)
        }
    }
}
