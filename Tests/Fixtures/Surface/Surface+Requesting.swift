// The buttons that request transactions. A test writes them as JSON, which is what an encoded CXTransaction is.

import OpenCallKit

extension Surface {
    static let requesting: [String: Button] = [
        "request": { surface, action in
            guard let transaction = transaction(action) else { return }
            surface.controller.request(transaction, timeout: timeout(action)) { error in
                action.fulfill(with: error.map(values(of:)) ?? [:])
            }
        },
        "perform": { surface, action in
            guard let transaction = transaction(action) else { return }
            attempt(action) { try await surface.controller.perform(transaction, timeout: timeout(action)) }
        },
        "request-async": { surface, action in
            guard let transaction = transaction(action) else { return }
            attempt(action) {
                if let only = transaction.actions.first, transaction.actions.count == 1 {
                    try await surface.controller.requestTransaction(with: only)
                } else {
                    try await surface.controller.requestTransaction(with: transaction.actions)
                }
            }
        },
        // Written again as it was read.
        "encode": { surface, action in
            guard let transaction = transaction(action) else { return }
            do {
                let data = try JSONEncoder().encode(transaction)
                action.fulfill(with: ["transaction": .string(String(decoding: data, as: UTF8.self))])
            } catch {
                action.fail("\(error)")
            }
        },
    ]

    /// Answers with nothing, or with the error.
    static func attempt(_ action: CXCustomAction, _ body: @escaping @Sendable () async throws -> Void) {
        Task {
            do {
                try await body()
                action.fulfill(with: [:])
            } catch {
                action.fulfill(with: values(of: error))
            }
        }
    }

    static func values(of error: any Error) -> Values {
        func values<Failure: CXErrorType>(_ error: Failure) -> Values {
            [
                "error": .string(Failure.errorDomain), "code": .integer(Int64(error.errorCode)),
                "name": .string(error.busName ?? ""), "text": .string(error.message),
            ]
        }
        guard let error = error as? any CXErrorType else { return ["error": .string("\(error)")] }
        return values(error)
    }

    private static func transaction(_ action: CXCustomAction) -> CXTransaction? {
        do {
            let text = action.arguments["transaction"]?.stringValue ?? ""
            return try JSONDecoder().decode(CXTransaction.self, from: Data(text.utf8))
        } catch {
            action.fail("\(error)")
            return nil
        }
    }

    private static func timeout(_ action: CXCustomAction) -> TimeInterval? {
        action.arguments["timeout"]?.doubleValue
    }
}
