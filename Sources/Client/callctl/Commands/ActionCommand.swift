// callctl action: calls a provider's custom action.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct ActionCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "action", abstract: "Call a provider's custom action.",
        discussion: """
            key=value passes a string, or a boolean if the value is true or false; key:=number passes an integer. \
            Prints the provider's answer, if any. callctl providers lists the actions.
            """)

    @Argument(help: "The provider.", completion: .providers)
    var provider: String

    @Argument(help: "The action's id.")
    var action: String

    @Argument(help: ArgumentHelp("The action's arguments.", valueName: "key=value"))
    var values: [KeyValue] = []

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let provider = try await session.snapshot().provider(provider)
        let arguments = VariantDictionary(values.map { ($0.key, $0.value) }) { _, last in last }
        let result: VariantDictionary = try await session.call(
            at: provider.path, Contract.provider, "PerformCustomAction", action, arguments)
        let lines = result.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plainText)".printable }
        try session.output.result(lines.joined(separator: "\n"), json: JSON(result))
    }
}

/// `key=value` or `key:=integer`.
struct KeyValue: ExpressibleByArgument, Sendable, Equatable {
    let key: String
    let value: Variant

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        var key = argument[..<equals]
        let text = String(argument[argument.index(after: equals)...])
        if key.hasSuffix(":") {
            guard let integer = Int64(text) else { return nil }
            key.removeLast()
            value = .int64(integer)
        } else {
            switch text {
            case "true": value = .bool(true)
            case "false": value = .bool(false)
            default: value = .string(text)
            }
        }
        guard !key.isEmpty else { return nil }
        self.key = String(key)
    }
}
