// callctl providers find, default: which provider takes a call.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

extension ProvidersCommand {
    struct Find: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show which provider would take a call, and why others would not.")

        @Argument(help: "Whom to call, as for callctl start.")
        var handle: String

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found: [VariantDictionary] = try await session.call(
                at: DaemonPath.system, Contract.callSystem, "FindProviders", handle,
                waiting: Session.quickTimeout)
            let read = found.first.map { CandidateRow(properties: $0).reading(of: handle) } ?? ""
            try session.output.result(
                read + Self.table(of: found, on: session.output.terminal), json: .array(found.map { JSON($0) }))
        }

        static func table(of found: [VariantDictionary], on terminal: Terminal) -> String {
            guard !found.isEmpty else { return ProvidersCommand.noProviders }
            var table = Table(columns: [.flexible("PROVIDER"), .flexible("NAME").leaves(1), "CALL", .main("REASON")])
            table.rows = found.map(CandidateRow.init).map { provider in
                let call = provider.flag("takes") ? provider.flag("emergency") ? "emergency" : "yes" : "no"
                return [
                    Cell(provider.text("provider-id"), .bold), Cell(provider.text("name")),
                    Cell(call, provider.flag("takes") ? .green : .red), Cell(provider.text("reason")),
                ]
            }
            return table.text(on: terminal)
        }
    }

    struct Default: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show or set the providers that take calls by default.",
            discussion: """
                KIND is a URI scheme, such as sip, or a type of handle: phone-number, email-address or generic. \
                The provider of a favorite, or of the last call with the same handle, comes first. PROVIDER none \
                removes the choice.
                """)

        @Argument(help: "The scheme or type; without it, all choices are shown.")
        var kind: String?

        @Argument(help: "The provider to choose; without it, the choice is shown.", completion: .providers)
        var provider: String?

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard let kind, HandleType(rawValue: kind) == nil, !DialString.isScheme(kind) else { return }
            throw ValidationError(
                "\"\(kind.excerpt)\" is neither a URI scheme nor a type of handle, expected a scheme in lower case such "
                    + "as sip, or phone-number, email-address or generic")
        }

        @LoopActor func run(in session: Session) async throws(Failure) {
            var chosen: [String: String] = try await session.property("DefaultProviders")
            if let kind, let provider {
                chosen[kind] = provider == "none" ? nil : try await session.snapshot().provider(provider).id.rawValue
                try await session.setProperty("DefaultProviders", to: chosen)
            }
            let shown = chosen.filter { kind == nil || $0.key == kind }.sorted { $0.key < $1.key }
            let text = Table.facts(shown.map { ($0.key, Cell($0.value)) }, on: session.output.terminal)
            try session.output.result(
                text.isEmpty ? "no default" : text,
                json: .object(shown.map { JSON.Member($0.key, .string($0.value)) }))
        }
    }
}

/// One of the providers that FindProviders returns.
private struct CandidateRow: Readable {
    let properties: VariantDictionary

    /// A line with what a text was read as; empty if that is what was written.
    func reading(of text: String) -> String {
        let (type, value) = handle("handle")
        let (normalized, digits) = (self.text("normalized"), self.text("post-dial"))
        guard !value.isEmpty, text != value || normalized != value, text != "\(type):\(value)" else { return "" }
        let rest = [
            normalized.isEmpty || normalized == value ? "" : "that is \(normalized)",
            digits.isEmpty ? "" : "then \(digits)",
            properties["hide-number"].map { $0 == .bool(true) ? "your number hidden" : "your number shown" } ?? "",
        ]
        return ([value] + rest.filter { !$0.isEmpty }).joined(separator: ", ").printable + "\n\n"
    }
}
