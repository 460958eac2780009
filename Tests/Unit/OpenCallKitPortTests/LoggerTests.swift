// Logger: what a process writes to standard error.

import OpenCallKitPort
import Testing

private struct Refusal: Error, CustomStringConvertible { let description = "refused" }

@Suite struct LoggerTests {
    private func expect(_ process: ExitTest.Result?, _ lines: [String]) {
        let output = String(decoding: process?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) == lines + [""])
    }

    @Test func levels() async {
        let process = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = Logger(subsystem: "com.example", category: "calls")
            logger.trace("trace")
            logger.debug("debug")
            logger.info("info")
            logger.notice("notice")
            logger.log("log")
            logger.warning("warning")
            logger.error("error")
            logger.critical("critical")
            logger.fault("fault")
            for level: OSLogType in [.default, .info, .debug, .error, .fault] { logger.log(level: level, "level") }
            Logger().info("no name")
        }
        let words = [
            (7, "trace"), (7, "debug"), (6, "info"), (5, "notice"), (5, "log"), (4, "warning"), (3, "error"),
            (2, "critical"), (2, "fault"), (5, "level"), (6, "level"), (7, "level"), (3, "level"), (2, "level"),
        ]
        expect(process, words.map { "<\($0)>[com.example:calls] \($1)" } + ["<6>no name"])
    }

    @Test func privateValuesAreRedacted() async {
        let process = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = Logger()
            let number = "+15550100"
            logger.info("call \(number)")
            logger.info("call \(number, privacy: .public)")
            logger.info("call \(number, privacy: .private) \(number, privacy: .sensitive) \(7, privacy: .private)")
            logger.info("\(URL(filePath: "/secret")) \(Refusal())")
            logger.info("\(URL(filePath: "/known"), privacy: .public) \(Refusal() as any Error, privacy: .public)")
            let small: UInt8 = 9
            logger.info("\(7) \(small) \(2.5) \(Float(0.5), format: .fixed(precision: 1)) \(true) \(Int.self)")
            logger.info("\(-255, format: .hex(includePrefix: true, uppercase: true)) \(8, format: .octal)")
            logger.info("\(1.0 / 3, format: .fixed(precision: 2)) \(false, format: .answer)")
        }
        expect(
            process,
            [
                "<6>call <private>", "<6>call +15550100", "<6>call <private> <private> <private>",
                "<6><private> <private>", "<6>file:///known refused", "<6>7 9 2.500000 0.5 true Int", "<6>-0xFF 10",
                "<6>0.33 no",
            ])
    }

    @Test func equalValuesHaveEqualHashes() async throws {
        let process = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for value in ["mum", "mum", "tom"] { Logger().info("\(value, privacy: .private(mask: .hash))") }
        }
        let output = String(decoding: try #require(process).standardErrorContent, as: UTF8.self)
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines[0] == lines[1] && lines[1] != lines[2])
        #expect(lines.allSatisfy { $0.hasPrefix("<6><mask.hash: '") && !$0.contains("mum") && !$0.contains("tom") })
    }

    /// A caller chooses its name: it must not forge a line of the journal.
    @Test func everyLineHasItsPriority() async {
        let process = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let name = "Eve\n<0>kernel panic\r\nand\u{0}more"
            Logger().debug("call of \(name, privacy: .public)")
        }
        expect(process, ["<7>call of Eve", "<7><0>kernel panic", "<7>and", "<7>more"])
    }
}
