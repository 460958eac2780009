// DesktopAgent: shows calls, rings, and makes room for them on the desktop.

import CallClient
import DBus
package import EventLoop

/// The agent: its parts, and the bus that they share.
@LoopActor
package final class DesktopAgent {
    private let context: DesktopContext
    private let parts: [any DesktopPart]

    package init(_ context: DesktopContext) {
        self.context = context
        parts = []
        context.model.onConnected = { [weak self] bus in
            for part in self?.parts ?? [] { part.connected(to: bus) }
        }
        context.model.onDisconnected = { [weak self] in
            for part in self?.parts ?? [] { part.disconnected() }
        }
    }

    package func start() { context.model.start() }

    package func stop() {
        for part in parts { part.stop() }
        context.model.session.bus?.flush()
        context.model.stop()
    }
}
