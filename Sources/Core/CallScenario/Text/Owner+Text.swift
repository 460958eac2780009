// The text form of owners: one word, behind a provider or a client.

import CallCore
import CallModel

extension Owner {
    /// ` app=org.example.A`, ` app=:1.7`, ` process=4711.88120`, ` plugin=Modem`.
    var text: String {
        switch self {
        case .app(let id): " app=\(id.quoted)"
        case .client(let name): " app=\(name.quoted)"
        case .process(let process, let start): " process=\(process).\(start)"
        case .plugin(let id): " plugin=\(id.quoted)"
        }
    }

    /// The same, or nothing if the provider has its plugin's name.
    func text(of provider: ProviderID) -> String { self == .plugin(provider.rawValue) ? "" : text }

    init?(_ words: Words) throws(CallError) {
        if let name = words.value("app") {
            // Unique names begin with a colon, and ids of apps do not.
            self = name.hasPrefix(":") ? .client(name) : .app(name)
        } else if let text = words.value("process") {
            let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, let process = UInt32(numbers[0]), let start = UInt64(numbers[1]) else {
                throw CallError(.invalidArguments, "process is \(text), expected NUMBER.START: \(words.line)")
            }
            self = .process(process, since: start)
        } else if let id = words.value("plugin") {
            self = .plugin(id)
        } else {
            return nil
        }
    }
}
