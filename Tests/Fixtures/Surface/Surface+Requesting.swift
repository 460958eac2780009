// The custom actions that request transactions, written as JSON: the encoded form of CXTransaction.

import OpenCallKit
import Synchronization

extension Surface {
    static let requesting: [String: Button] = [
        "request": { surface, action in
            guard let transaction = transaction(action) else { return }
            let completion: ((any Error)?) -> Void = { error in
                var values = error.map(values(of:)) ?? [:]
                if !isOnQueue { values["elsewhere"] = .bool(true) }
                action.fulfill(with: values)
            }
            switch action.arguments["as"]?.stringValue {
            case "action": surface.controller.requestTransaction(with: transaction.actions[0], completion: completion)
            case "actions": surface.controller.requestTransaction(with: transaction.actions, completion: completion)
            case "plain": surface.controller.request(transaction, completion: completion)
            case "made":
                let made =
                    transaction.actions.count == 1 ? CXTransaction(action: again(transaction.actions[0])) : .init()
                if made.actions.isEmpty { for action in transaction.actions { made.addAction(again(action)) } }
                surface.controller.request(made, completion: completion)
            default: surface.controller.request(transaction, timeout: timeout(action), completion: completion)
            }
        },
        "perform": { surface, action in
            guard let transaction = transaction(action) else { return }
            attempt(action) { try await surface.controller.perform(transaction, timeout: timeout(action)) }
        },
        "request-async": { surface, action in
            guard let transaction = transaction(action) else { return }
            let how = action.arguments["as"]?.stringValue
            let timeout = timeout(action)
            attempt(action) {
                let controller = CXCallController()
                switch how {
                case "action": try await controller.requestTransaction(with: transaction.actions[0])
                case "actions": try await controller.requestTransaction(with: transaction.actions)
                case "plain": try await controller.request(transaction)
                default: try await controller.request(transaction, timeout: timeout)
                }
            }
        },
        // From the main queue: if one of them waited there, nothing would be completed.
        "request-on-main": { surface, action in
            guard let transaction = transaction(action) else { return }
            DispatchQueue.main.async {
                let (controller, observer) = (CXCallController(queue: .main), CXCallObserver())
                let course = Mutex(["asked"])
                controller.request(transaction) { error in
                    course.withLock { $0.append("completed") }
                    var values = error.map(values(of:)) ?? [:]
                    values["course"] = .array(course.withLock { $0 }.map(CXValue.string))
                    action.fulfill(with: values)
                }
                _ = observer.calls
                course.withLock { $0.append("looked") }
            }
        },
        // Calls one after another, each from its ring to its end, through the provider's own controller.
        "calls-in-a-row": { surface, action in
            let count = action.arguments["count"]?.integerValue ?? 1
            attempt(action) {
                for number in 0..<count {
                    let (uuid, update) = (UUID(), CXCallUpdate())
                    update.remoteHandle = CXHandle(type: .generic, value: "caller \(number)")
                    try await surface.provider.reportNewIncomingCall(with: uuid, update: update)
                    try await surface.controller.perform(CXTransaction(action: CXAnswerCallAction(call: uuid)))
                    try await surface.controller.perform(CXTransaction(action: CXEndCallAction(call: uuid)))
                }
                surface.log.clear()
            }
        },
        // Encodes again what was decoded.
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
                "name": .string(error.busName), "text": .string(error.message),
            ]
        }
        guard let error = error as? any CXErrorType else { return ["error": .string("\(error)")] }
        return values(error)
    }

    /// The same action, made by the initialiser of its class.
    private static func again(_ action: CXAction) -> CXAction {
        switch action {
        case let start as CXStartCallAction:
            let new = CXStartCallAction(call: start.callUUID, handle: start.handle)
            new.isVideo = start.isVideo
            new.contactIdentifier = start.contactIdentifier
            new.hidesNumber = start.hidesNumber
            return new
        case let held as CXSetHeldCallAction: return CXSetHeldCallAction(call: held.callUUID, onHold: held.isOnHold)
        case let muted as CXSetMutedCallAction: return CXSetMutedCallAction(call: muted.callUUID, muted: muted.isMuted)
        case let group as CXSetGroupCallAction:
            return CXSetGroupCallAction(call: group.callUUID, callUUIDToGroupWith: group.callUUIDToGroupWith)
        case let tones as CXPlayDTMFCallAction:
            return CXPlayDTMFCallAction(call: tones.callUUID, digits: tones.digits, type: tones.type)
        case let translating as CXSetTranslatingCallAction:
            return CXSetTranslatingCallAction(
                call: translating.callUUID, isTranslating: translating.isTranslating,
                localLanguage: translating.localLanguage, remoteLanguage: translating.remoteLanguage)
        case let transfer as CXTransferCallAction:
            let call = transfer.callUUID
            if let other = transfer.otherCallUUID { return CXTransferCallAction(call: call, toCall: other) }
            return transfer.handle.map { CXTransferCallAction(call: call, to: $0) } ?? transfer
        case let answer as CXAnswerTransferCallAction:
            return CXAnswerTransferCallAction(call: answer.callUUID, accepting: answer.handle)
        case let answer as CXAnswerCallAction: return CXAnswerCallAction(call: answer.callUUID)
        case let end as CXEndCallAction: return CXEndCallAction(call: end.callUUID)
        default: return action
        }
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
