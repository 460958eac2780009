// PulseRequest: one operation of libpulse, from its start to its last callback.

internal import CSound
internal import EventLoop

/// What the callbacks of an operation are given as user data. The server object keeps it alive until it has ended.
@LoopActor
class PulseRequest {
    private var result: SoundError??
    private var continuation: CheckedContinuation<SoundError?, Never>?

    /// Receives one entry of a list; the pointer is valid during the call only.
    func receive(_ entry: UnsafeRawPointer) {}

    func end(with error: SoundError?) {
        guard result == nil else { return }
        result = .some(error)
        continuation?.resume(returning: error)
        continuation = nil
    }

    func outcome() async -> SoundError? {
        if let result { return result }
        return await withCheckedContinuation { continuation = $0 }
    }

    nonisolated static func at(_ address: UInt) -> PulseRequest? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<PulseRequest>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Handles a callback of a list: an entry, the end, or an error.
    nonisolated static func listed(_ entry: UnsafeRawPointer?, _ end: Int32, _ data: UnsafeMutableRawPointer?) {
        let (entry, data) = (UInt(bitPattern: entry), UInt(bitPattern: data))
        LoopActor.assumeIsolated {
            guard let request = PulseRequest.at(data) else { return }
            if end == 0, let entry = UnsafeRawPointer(bitPattern: entry) {
                request.receive(entry)
            } else {
                request.end(with: end < 0 ? .refused("it cannot list this") : nil)
            }
        }
    }

    /// Handles the callback of a change.
    nonisolated static func changed(_ isDone: Int32, _ data: UnsafeMutableRawPointer?) {
        let data = UInt(bitPattern: data)
        LoopActor.assumeIsolated {
            PulseRequest.at(data)?.end(with: isDone != 0 ? nil : .refused("it cannot change this"))
        }
    }
}

/// A request for a list of C structs, of each of which a value is made.
final class PulseListRequest<Entry, Value>: PulseRequest {
    private(set) var values: [Value] = []
    private let make: (Entry) -> Value

    init(_ make: @escaping (Entry) -> Value) {
        self.make = make
    }

    override func receive(_ entry: UnsafeRawPointer) {
        // No list of a desktop is as long; a server that goes on and on is not listened to.
        guard values.count < 4_096 else { return }
        values.append(make(entry.assumingMemoryBound(to: Entry.self).pointee))
    }
}
