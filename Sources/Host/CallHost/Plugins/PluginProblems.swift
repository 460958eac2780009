// PluginProblems: what is wrong with a plugin that runs.

import CallModel
import WorkerLaunch

/// Each problem is a sentence for people, with what to do.
struct PluginProblems: Equatable {
    /// The reason for which its last registration was refused; empty for none.
    private var refusal = ""
    /// The paths of files with the same id that are not used.
    var hidden: [String] = []

    /// One of its providers was refused.
    mutating func refused(_ reason: String) { refusal = reason.displayable }

    /// One of its providers was registered, or its worker has ended.
    mutating func registered() { refusal = "" }

    /// All of them.
    ///
    /// - Parameter version: the file that the plugin runs from.
    func texts(of version: PluginVersion) -> [String] {
        var texts: [String] = []
        if !refusal.isEmpty {
            let command = "callctl certify \(version.candidate.location.shellWord)"
            texts.append(
                "its provider was refused (\(refusal)); its own lines in the log say why, and so does: \(command)")
        }
        texts += version.manifest.unknown.map { "\(PluginManifest.fileName), \($0); it is passed over" }
        let own = version.candidate.location
        let isAlone = version.file?.resourceDirectory.isEmpty == true
        texts += hidden.map { path in
            let loss = isAlone && path.hasSuffix(".callplugin") ? ", a library alone, which may use nothing" : ""
            return "\(path.displayable) has the same id and is hidden by \(own)\(loss); remove one"
        }
        return texts
    }
}
