// The schedule of Do Not Disturb follows the clock when that is set, or the machine was asleep.

import CallCore
import CallModel
import CallStage
import EventLoop
import Foundation
import Logging
import TestSupport
import Testing

@testable import CallHost

@Suite @LoopActor struct ScheduleTests {
    nonisolated init() { Loop.shared.start() }

    /// coredevices/PebbleOS PR #773: the clock is changed during a snooze.
    @Test func aStepOfTheClockIsNoticedAtOnce() throws {
        let folder = NSTemporaryDirectory() + "opencallkit-schedule-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/opencallkit", withIntermediateDirectories: true)
        let settings = """
            do-not-disturb
            quiet from=22:00 until=07:00 days=mon,tue,wed,thu,fri,sat,sun

            """
        try settings.write(toFile: "\(folder)/opencallkit/do-not-disturb", atomically: true, encoding: .utf8)
        let day = LocalDay(of: WallTime(microseconds: 1_800_000_000_000_000))
        func moment(_ hour: Int, later days: Int = 0) -> WallTime {
            day.advanced(byDays: days).moment(atMinute: hour * 60)
        }
        let clock = VirtualClock(at: Instant(uptime: 1_000_000_000_000, date: moment(12)))
        var heard: [Bool] = []
        let host = CallSystemHost(
            configuration: HostConfiguration(
                workerPath: "/nonexistent", executableFolder: "/nonexistent",
                environment: ["XDG_CONFIG_HOME": folder, "XDG_RUNTIME_DIR": folder, "HOME": folder]),
            log: Logger(label: "schedule") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
        host.onStep = { if case .doNotDisturbSet(let isOn) = $0.input { heard.append(isOn) } }
        host.start()
        #expect(heard == [])
        clock.set(date: moment(23))
        #expect(heard == [true])
        clock.set(date: moment(12, later: 300))
        #expect(heard == [true, false])
        // The timer is for the clock as it is now.
        clock.pass(.seconds(10 * 3_600 + 1))
        #expect(heard == [true, false, true])
    }
}
