// SettingsPart: tells what is wrong with the agent's settings.

import DBus
import EventLoop
import Logging

/// Logs the problems of desktop.conf, and shows them among the parts.
@LoopActor
final class SettingsPart: DesktopPart {
    let name = "settings"
    private let context: DesktopContext

    init(_ context: DesktopContext) {
        self.context = context
        context.settings.onProblems = { [weak self] in self?.log() }
        log()
    }

    var status: PartStatus {
        let problems = context.settings.problems
        return problems.isEmpty ? .ready("desktop.conf") : .waiting(problems.joined(separator: "; "))
    }

    func connected(to bus: Bus) {}
    func disconnected() {}
    func stop() {}

    private func log() {
        for problem in context.settings.problems { context.log.error("\(problem)") }
    }
}
