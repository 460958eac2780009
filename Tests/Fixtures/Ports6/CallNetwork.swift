// A layer as new apps have it: an actor for the network, the main actor for CallKit, and async functions between them.

#if canImport(CallKit)
    import Foundation
#else
    import OpenCallKitPort
#endif

nonisolated enum NetworkEvent: Sendable {
    case ringing(UUID, from: String)
    case answered(UUID)
    case hungUp(UUID)
}

nonisolated struct NetworkError: Error { let reason: String }

/// The network's calls. It stands for a connection to a server.
actor CallNetwork {
    private let continuation: AsyncStream<NetworkEvent>.Continuation
    nonisolated let events: AsyncStream<NetworkEvent>
    private(set) var held: Set<UUID> = []
    private(set) var calls: Set<UUID> = []
    var isReachable = true

    init() { (events, continuation) = AsyncStream.makeStream() }

    func setReachable(_ reachable: Bool) { isReachable = reachable }

    func dial(_ address: String, _ id: UUID) async throws {
        guard isReachable else { throw NetworkError(reason: "unreachable") }
        calls.insert(id)
    }

    func accept(_ id: UUID) async throws {
        guard calls.contains(id) else { throw NetworkError(reason: "no such call") }
    }

    func setHeld(_ id: UUID, _ isHeld: Bool) async {
        if isHeld { held.insert(id) } else { held.remove(id) }
    }

    func hangUp(_ id: UUID) async {
        calls.remove(id)
        held.remove(id)
    }

    func receiveCall(_ id: UUID, from address: String) {
        calls.insert(id)
        continuation.yield(.ringing(id, from: address))
    }
    func farSideAnswers(_ id: UUID) { continuation.yield(.answered(id)) }
    func farSideHangsUp(_ id: UUID) { continuation.yield(.hungUp(id)) }
}
