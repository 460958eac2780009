// PluginSettings: which plugins the user has disabled, as a small file of text in the words of scenario files.

import CallModel
import CallScenario

struct PluginSettings: Equatable {
    /// The ids of the disabled plugins, present or not.
    var disabled: Set<String> = []

    /// More than anybody has.
    private static let maximum = 1_000

    var text: String {
        "plugins\n" + disabled.sorted().map { "plugin id=\($0) enabled=no\n" }.joined()
    }

    init() {}

    /// - Throws: `InvalidArguments` for anything that `text` would not have written.
    init(text: String) throws(CallError) {
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first == "plugins", text.hasSuffix("\n") else {
            throw CallError(.invalidArguments, "the first line is not \"plugins\", or the file is cut off")
        }
        guard lines.count <= Self.maximum else {
            throw CallError(.invalidArguments, "\(lines.count) lines, expected at most \(Self.maximum)")
        }
        for line in lines.dropFirst() {
            var words = try Words(line)
            guard try words.take("plugin") == "plugin", let id = words.value("id"), !id.isEmpty,
                let isEnabled = try words.flag("enabled")
            else {
                throw CallError(.invalidArguments, "a line is not \"plugin id=… enabled=…\": \(line.excerpt)")
            }
            if !isEnabled { disabled.insert(id) }
        }
    }
}
