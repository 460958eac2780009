// SecretLeftovers: secrets that no account has, until they are removed.

import CallModel
import EventLoop

/// Knows where secrets may be that no account has: a place is noted before anything is put there, and until an account has it
/// for its own. So nothing stays behind, whatever ends in between.
@LoopActor
final class SecretLeftovers {
    private unowned let accounts: AccountSupervisor
    private(set) var places: Set<SecretPlace> = []
    /// Where something is being put, and how often. Nothing is cleared there meanwhile.
    private var inUse: [SecretPlace: Int] = [:]
    private var isClearing = false
    /// Whether all is to be tried once more.
    private var isOutdated = false
    private var retry: LoopTimer?
    private var pause = firstPause

    /// A place that could not be cleared is tried again, after pauses that double.
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(600)

    init(_ accounts: AccountSupervisor) { self.accounts = accounts }

    /// Notes a place. Returns false if it was noted before, or if there are too many.
    func note(_ place: SecretPlace) -> Bool {
        guard places.count < AccountList.maximumLeftovers else { return false }
        return places.insert(place).inserted
    }

    func forget(_ place: SecretPlace) { places.remove(place) }

    /// Begins to put something into a place.
    func begin(_ place: SecretPlace) { inUse[place, default: 0] += 1 }

    /// Ends what `begin` has begun, and clears the place if it is still noted.
    func end(_ place: SecretPlace) {
        let count = inUse[place, default: 1] - 1
        inUse[place] = count > 0 ? count : nil
        if places.contains(place) { clear() }
    }

    func stop() { retry = nil }

    /// Clears all places, as far as their storage can be reached now.
    func clear() {
        guard !isClearing else {
            isOutdated = true
            return
        }
        guard !places.isEmpty else { return }
        isClearing = true
        retry = nil
        Task {
            let before = places
            var isDone = true
            repeat {
                isOutdated = false
                for place in places where inUse[place] == nil && places.contains(place) {
                    if await !clear(place) { isDone = false }
                }
            } while isOutdated
            isClearing = false
            if places != before { accounts.saveWhatIsLeft() }
            tryAgain(isDone)
        }
    }

    /// Clears a place. Returns false if that was not possible.
    func clear(_ place: SecretPlace) async -> Bool {
        do throws(CallError) {
            try await accounts.secrets.clear(of: place.account, in: place.storage)
        } catch {
            // Memory that cannot be reached is gone.
            guard place.storage == .memory else { return false }
        }
        if inUse[place] == nil { forget(place) }
        return true
    }

    private func tryAgain(_ isDone: Bool) {
        pause = isDone ? Self.firstPause : min(pause * 2, Self.longestPause)
        guard !places.isEmpty else { return }
        retry = LoopTimer(after: pause) { [weak self] in self?.clear() }
    }
}
