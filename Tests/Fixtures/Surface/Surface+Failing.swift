// The custom actions that fail with each error of CallKit, and that translate an error's name.

import OpenCallKit

extension Surface {
    private static let domains: [any CXErrorType.Type] = [
        CXError.self, CXErrorCodeIncomingCallError.self, CXErrorCodeRequestTransactionError.self,
        CXErrorCodeCallDirectoryManagerError.self, CXErrorCodeNotificationServiceExtensionError.self,
    ]

    static let failing: [String: Button] = [
        // Fails with the error of this domain and code.
        "raise": { _, action in
            let domain = action.arguments["domain"]?.stringValue
            let code = action.arguments["code"]?.integerValue ?? -1
            let text = action.arguments["text"]?.stringValue ?? ""
            guard let type = domains.first(where: { $0.errorDomain == domain }),
                let error = error(of: type, Int(code), text)
            else { return action.fulfill(with: [:]) }
            action.fail(with: error)
        },
        // The code in each domain for an error's name.
        "codes": { _, action in
            let name = action.arguments["name"]?.stringValue ?? ""
            var codes: Values = [:]
            for type in domains { codes[type.errorDomain] = .integer(Int64(code(in: type, name))) }
            action.fulfill(with: codes)
        },
    ]

    private static func error<Failure: CXErrorType>(of type: Failure.Type, _ code: Int, _ text: String) -> (any Error)?
    {
        Failure.Code(rawValue: code).map { Failure($0, message: text) }
    }

    private static func code<Failure: CXErrorType>(in type: Failure.Type, _ name: String) -> Int {
        Failure.Code(busName: name).rawValue
    }
}
