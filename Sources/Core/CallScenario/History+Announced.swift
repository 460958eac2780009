// Checks what providers were told will follow in a transaction: it follows in order, or they are told that it will not.

import CallCore
import CallModel

extension History {
    /// What providers still expect.
    struct Announced {
        private struct Key: Hashable {
            let transaction: TransactionID
            let provider: ProviderID
        }

        private struct Promise {
            let actions: [CallAction]
            var done = 0
        }

        private var promises: [Key: Promise] = [:]
        private var told: Set<Key> = []

        /// Returns the violations.
        mutating func check(_ action: PerformedAction) -> [String] {
            let key = Key(transaction: action.transaction, provider: action.provider)
            switch action.part {
            case .single: return []
            case .first(let following):
                promises[key] = Promise(actions: following)
                return told.insert(key).inserted ? [] : ["\(key) is told twice what follows"]
            case .following(let number):
                guard var promise = promises[key], promise.done < number, number <= promise.actions.count,
                    promise.actions[Int(number) - 1] == action.action
                else { return ["a\(action.id.number) is not part \(number) of what \(key) was told"] }
                promise.done = Int(number)
                promises[key] = promise.done < promise.actions.count ? promise : nil
                return []
            }
        }

        /// Returns false if the provider expected nothing.
        mutating func end(_ transaction: TransactionID, on provider: ProviderID) -> Bool {
            promises.removeValue(forKey: Key(transaction: transaction, provider: provider)) != nil
        }

        mutating func forget(_ provider: ProviderID) {
            promises = promises.filter { $0.key.provider != provider }
        }

        /// What is still expected, as sentences.
        var unkept: [String] {
            promises.keys.map { "\($0.provider) still waits for more of t\($0.transaction.number)" }.sorted()
        }
    }
}
