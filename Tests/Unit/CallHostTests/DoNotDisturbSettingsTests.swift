// The schedule of Do Not Disturb, in a time zone with summer time.

import CallModel
import EventLoop
import Foundation
import Testing

@testable import CallHost

/// Each test runs in a process of its own, since the time zone belongs to the process.
@Suite struct DoNotDisturbSettingsTests {
    private static func inCentralEurope() { setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1) }

    /// A date such as `2026-03-29T00:30:00Z`.
    private static func date(_ text: String) -> WallTime {
        WallTime(
            microseconds: UInt64((ISO8601DateFormatter().date(from: text)?.timeIntervalSince1970 ?? 0) * 1_000_000))
    }

    private static func settings(_ from: String, _ until: String, _ days: [String] = []) -> DoNotDisturbSettings {
        var settings = DoNotDisturbSettings()
        guard let hours = try? QuietHours(from: from, until: until, days: days) else { return settings }
        settings.schedule = [hours]
        return settings
    }

    @Test func nightsReachIntoTheNextDay() async {
        await #expect(processExitsWith: .success) {
            Self.inCentralEurope()
            // The night of a Friday, and no other.
            let settings = Self.settings("22:00", "07:00", ["fri"])
            #expect(!settings.isOn(at: Self.date("2026-11-20T20:59:59Z")))
            #expect(settings.isOn(at: Self.date("2026-11-20T21:00:00Z")))
            #expect(settings.isOn(at: Self.date("2026-11-21T05:59:59Z")))
            #expect(!settings.isOn(at: Self.date("2026-11-21T06:00:00Z")))
            #expect(!settings.isOn(at: Self.date("2026-11-21T22:00:00Z")))
            #expect(settings.nextChange(after: Self.date("2026-11-20T21:00:00Z")) == Self.date("2026-11-21T06:00:00Z"))
            #expect(settings.nextChange(after: Self.date("2026-11-21T06:00:00Z")) == Self.date("2026-11-27T21:00:00Z"))
        }
    }

    @Test func nightsAreAsLongAsTheyAre() async {
        await #expect(processExitsWith: .success) {
            Self.inCentralEurope()
            let settings = Self.settings("22:00", "07:00")
            // Summer time begins, and ends, at 01:00 UTC.
            #expect(settings.nextChange(after: Self.date("2026-03-28T21:00:00Z")) == Self.date("2026-03-29T05:00:00Z"))
            #expect(settings.nextChange(after: Self.date("2026-10-24T20:00:00Z")) == Self.date("2026-10-25T06:00:00Z"))
            // A time that the clock skips is moved on: 02:30 in that night is 03:30.
            let skipped = Self.settings("02:30", "04:00")
            #expect(!skipped.isOn(at: Self.date("2026-03-29T00:59:59Z")))
            #expect(skipped.isOn(at: Self.date("2026-03-29T01:30:00Z")))
            #expect(!skipped.isOn(at: Self.date("2026-03-29T02:00:00Z")))
        }
    }

    @Test func wholeDaysAndHoursThatFollowEachOther() async {
        await #expect(processExitsWith: .success) {
            Self.inCentralEurope()
            let sunday = Self.settings("00:00", "00:00", ["sun"])
            #expect(
                sunday.isOn(at: Self.date("2026-11-21T23:00:00Z")) && sunday.isOn(at: Self.date("2026-11-22T22:59:59Z"))
            )
            #expect(!sunday.isOn(at: Self.date("2026-11-22T23:00:00Z")))
            var settings = Self.settings("20:00", "22:00")
            settings.schedule += Self.settings("22:00", "06:00").schedule
            settings.turn(on: false, at: Self.date("2026-11-20T20:00:00Z"))
            #expect(settings.pausedUntil == Self.date("2026-11-21T05:00:00Z"))
            #expect(!settings.isOn(at: Self.date("2026-11-20T23:00:00Z")))
            #expect(settings.isOn(at: Self.date("2026-11-21T19:00:00Z")))
        }
    }

    @Test func byHand() async {
        await #expect(processExitsWith: .success) {
            Self.inCentralEurope()
            var settings = Self.settings("22:00", "07:00")
            let (noon, night) = (Self.date("2026-11-20T11:00:00Z"), Self.date("2026-11-20T23:00:00Z"))
            settings.turn(on: true, at: noon)
            #expect(settings.isOn(at: noon) && settings.isOn(at: night) && settings.nextChange(after: noon) == nil)
            settings.turn(on: false, at: noon)
            #expect(!settings.isOn(at: noon) && settings.isOn(at: night) && settings.pausedUntil == 0)
            settings.turn(on: false, at: night)
            #expect(!settings.isOn(at: night) && settings.isOn(at: night + 24 * 3_600_000_000))
            settings.turn(on: true, at: night)
            #expect(settings.isOn(at: night))
        }
    }

    /// pendulum-project/ntpd-rs #957, coredevices/PebbleOS PR #773: the clock is changed during a pause.
    @Test func noPauseOutlivesTheCorrectionOfTheClock() async {
        await #expect(processExitsWith: .success) {
            Self.inCentralEurope()
            var settings = Self.settings("00:00", "23:59")
            settings.turn(on: false, at: Self.date("2036-11-20T11:00:00Z"))
            #expect(settings.pausedUntil == Self.date("2036-11-20T22:59:00Z"))
            let now = Self.date("2026-11-20T11:00:00Z")
            settings.shortenPause(at: now)
            #expect(settings.pausedUntil == Self.date("2026-11-20T22:59:00Z"))
            #expect(!settings.isOn(at: now) && settings.isOn(at: Self.date("2026-11-20T23:00:00Z")))
            // A few days, too: the hours of that night are not those of this one.
            settings = Self.settings("22:00", "07:00")
            settings.turn(on: false, at: Self.date("2026-11-25T23:00:00Z"))
            #expect(settings.pausedUntil == Self.date("2026-11-26T06:00:00Z"))
            settings.shortenPause(at: now)
            #expect(settings.pausedUntil == 0 && settings.isOn(at: Self.date("2026-11-20T23:00:00Z")))
            // Nothing is in force.
            settings.pausedUntil = now + 9 * 24 * 3_600_000_000
            settings.schedule = []
            settings.shortenPause(at: now)
            #expect(settings.pausedUntil == 0)
            // One that can be is as long as it is, and none is longer than eight days.
            settings = Self.settings("00:00", "00:00")
            settings.turn(on: false, at: now)
            let pause = settings.pausedUntil
            #expect(pause == now + 8 * 24 * 3_600_000_000)
            settings.shortenPause(at: now)
            #expect(settings.pausedUntil == pause)
        }
    }

    @Test func theFileSaysItAll() throws {
        var settings = Self.settings("22:05", "07:00", ["sun", "mon"])
        settings.schedule += Self.settings("00:00", "23:59").schedule
        settings.isOnByHand = true
        settings.pausedUntil = 1_800_000_000_000_000
        settings.rules.allowsFavorites = false
        settings.rules.allowsRepeated = false
        settings.rules.allowedProviders = Set(["A", "B"].compactMap { ProviderID($0) })
        #expect(
            settings.text == """
                do-not-disturb on=yes paused-until=1800000000000000 favorites=no repeated=no providers=A,B
                quiet from=22:05 until=07:00 days=mon,sun
                quiet from=00:00 until=23:59 days=mon,tue,wed,thu,fri,sat,sun

                """)
        #expect(try DoNotDisturbSettings(text: settings.text) == settings)
        #expect(try DoNotDisturbSettings(text: DoNotDisturbSettings().text) == DoNotDisturbSettings())
    }

    @Test func noFileTraps() {
        let text = Array(Self.settings("22:05", "07:00", ["sun", "mon"]).text.utf8)
        for length in 0..<text.count {
            for byte in [UInt8](arrayLiteral: 0, 10, 32, 34, 61, 92, 255) {
                var bytes = Array(text[..<length])
                _ = try? DoNotDisturbSettings(text: String(decoding: bytes, as: UTF8.self))
                bytes.append(byte)
                _ = try? DoNotDisturbSettings(text: String(decoding: bytes, as: UTF8.self))
            }
        }
        for clock in ["", "7:00", "24:00", "12:60", "1a:00", "12-00", "12:000", "１2:00"] {
            #expect(QuietHours.minute(clock) == nil, "\(clock)")
        }
    }
}
