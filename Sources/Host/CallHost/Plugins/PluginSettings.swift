// PluginSettings: which plugins the user has disabled, as a small file of text in the words of scenario files.

import CallModel
import CallScenario

struct PluginSettings: SettingsText {
    static let title = "plugins"

    /// The ids of the disabled plugins, present or not.
    var disabled: Set<String> = []

    var text: String {
        "plugins\n" + disabled.sorted().map { "plugin id=\($0) enabled=no\n" }.joined()
    }

    init() {}

    mutating func take(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard try words.take("plugin") == "plugin", let id = words.value("id"), !id.isEmpty,
            let isEnabled = try words.flag("enabled")
        else {
            throw CallError(.invalidArguments, "a line is not \"plugin id=… enabled=…\": \(line.excerpt)")
        }
        if !isEnabled { disabled.insert(id) }
    }

    /// A plugin that the line names was disabled: it has no other lines.
    mutating func doubt(_ line: String) {
        if let id = line.value(after: "id=") { disabled.insert(id) }
    }
}

extension String {
    /// The word after `key` in a line that may be damaged, without quotes; nil if there is none.
    func value(after key: String) -> String? {
        let word = split(separator: " ").first { $0.hasPrefix(key) }?.dropFirst(key.count).filter { $0 != "\"" }
        return word.flatMap { $0.isEmpty ? nil : $0 }
    }
}
