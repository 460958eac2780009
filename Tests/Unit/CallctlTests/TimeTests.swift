// Days, spans and points in time, as people read and type them.

import CallModel
import EventLoop
import Glibc
import Testing

@testable import callctl

@Suite struct TimeTests {
    /// Saturday, 21 November 2026, 14:05:30.
    private let now = moment(2026, 11, 21, 14, 5, 30)

    @Test(arguments: [
        (moment(2026, 11, 21, 14, 5, 30), "today 14:05"), (moment(2026, 11, 21, 0, 0), "today 00:00"),
        (moment(2026, 11, 21, 23, 59, 59), "today 23:59"), (moment(2026, 11, 20, 23, 59, 59), "yesterday 23:59"),
        (moment(2026, 11, 19, 9, 5), "Thu 09:05"), (moment(2026, 11, 15, 9, 5), "Sun 09:05"),
        (moment(2026, 11, 14, 9, 5), "2026-11-14 09:05"), (moment(2026, 11, 22, 0, 0), "2026-11-22 00:00"),
        (moment(1999, 1, 2, 3, 4), "1999-01-02 03:04"),
    ])
    func calendar(time: WallTime, text: String) {
        #expect(time.calendarText(at: now) == text)
    }

    @Test func yesterdayIsADayAgoInTheNewYearToo() {
        #expect(moment(2026, 12, 31, 23, 0).calendarText(at: moment(2027, 1, 1, 0, 30)) == "yesterday 23:00")
    }

    @Test(
        arguments: [
            (0, "under 1 s"), (999, "under 1 s"), (1_000, "1 s"), (12_900, "12 s"), (60_000, "1 min"),
            (192_000, "3 min 12 s"), (3_600_000, "1 h"), (3_612_000, "1 h"), (3_900_000, "1 h 5 min"),
            (86_400_000, "1 d"), (187_200_000, "2 d 4 h"), (.max, "213503982334 d 14 h"),
        ] as [(UInt64, String)])
    func span(milliseconds: UInt64, text: String) {
        #expect(Span(milliseconds: milliseconds).text == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (10_000_000, "10,000,000")] as [(UInt64, String)])
    func grouped(number: UInt64, text: String) {
        #expect(number.grouped == text)
    }

    @Test(arguments: [
        ("today", moment(2026, 11, 21), moment(2026, 11, 22, before: true)),
        ("Yesterday", moment(2026, 11, 20), moment(2026, 11, 21, before: true)),
        ("sat", moment(2026, 11, 21), moment(2026, 11, 22, before: true)),
        ("sunday", moment(2026, 11, 15), moment(2026, 11, 16, before: true)),
        ("2026-02-28", moment(2026, 2, 28), moment(2026, 3, 1, before: true)),
        ("2028-02-29", moment(2028, 2, 29), moment(2028, 3, 1, before: true)),
        ("14:05", moment(2026, 11, 21, 14, 5), moment(2026, 11, 21, 14, 5)),
        ("yesterday 23:59:59", moment(2026, 11, 20, 23, 59, 59), moment(2026, 11, 20, 23, 59, 59)),
        ("2026-11-01T08:30", moment(2026, 11, 1, 8, 30), moment(2026, 11, 1, 8, 30)),
        ("30s", moment(2026, 11, 21, 14, 5), moment(2026, 11, 21, 14, 5)),
        ("90min", moment(2026, 11, 21, 12, 35, 30), moment(2026, 11, 21, 12, 35, 30)),
        ("90m", moment(2026, 11, 21, 12, 35, 30), moment(2026, 11, 21, 12, 35, 30)),
        ("2h", moment(2026, 11, 21, 12, 5, 30), moment(2026, 11, 21, 12, 5, 30)),
        ("99999999w", WallTime(microseconds: 0), WallTime(microseconds: 0)),
        ("18446744073709551615s", WallTime(microseconds: 0), WallTime(microseconds: 0)),
    ])
    func typed(text: String, start: WallTime, end: WallTime) throws {
        let time = try #require(TimeArgument(argument: text))
        #expect(time.moment(.start, at: now) == start)
        #expect(time.moment(.end, at: now) == end)
    }

    @Test(arguments: [
        "", " ", "tomorrow", "2026-02-30", "2026-13-01", "2026-00-10", "1969-12-31", "26-1-1-1", "2026-11", "24:00",
        "12:60", "12", "12:", "h", "-2h", "2y", "18446744073709551616s", "18446744073709551615w", "2026-11-01T",
        "T12:00", "today 12:00 x", "2h 12:00", "１２:00", "2026-11-01 2026-11-02",
    ])
    func notATime(text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }

    @Test func isoTextIsReadBackAsTheSame() throws {
        let text = now.isoText
        #expect(text.hasPrefix("2026-11-21T14:05:30.000") && text.count == 29)
        let read = try #require(TimeArgument(argument: String(text.prefix(19))))
        #expect(read.moment(.start, at: .now) == now)
    }
}

/// A moment in local time, wherever the test runs; `before` is the microsecond before it.
private func moment(
    _ year: Int32, _ month: Int32, _ day: Int32, _ hour: Int32 = 0, _ minute: Int32 = 0, _ second: Int32 = 0,
    before: Bool = false
) -> WallTime {
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
    (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (hour, minute, second, -1)
    return WallTime(microseconds: UInt64(mktime(&time)) * 1_000_000 - (before ? 1 : 0))
}
