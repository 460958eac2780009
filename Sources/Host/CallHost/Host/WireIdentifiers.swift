// The core counts its actions and transactions; on the bus they are UUIDs, as in CallKit.

import CallCore
import CallModel

/// Turns the core's numbers into UUIDs (version 8) that differ from those of any other run.
struct WireIdentifiers: Sendable {
    private let run: UInt64

    /// - Parameter seed: anything random; the run's identity.
    init(seed: CallID) {
        run = seed.high & ~0xF000 | 0x8000
    }

    func text(of action: ActionID) -> String { uuid(action.number, kind: 0).description }
    func text(of transaction: TransactionID) -> String { uuid(transaction.number, kind: 1).description }

    /// Variant bits, then one bit for the kind, then the number.
    private func uuid(_ number: UInt64, kind: UInt64) -> CallID {
        CallID(high: run, low: 1 << 63 | kind << 61 | number & (1 << 61 - 1))
    }
}
