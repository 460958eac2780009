// The settings of the agent.

import Testing

@testable import DesktopAgent

@Suite struct DesktopSettingsTests {
}
