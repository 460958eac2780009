// What the kernel tells of a process.

import Glibc
import Testing

@testable import Certification

@Suite struct ProcessMeterTests {
    @Test func thisProcess() throws {
        let meter = ProcessMeter(pid: getpid())
        let before = try #require(meter.descriptors)
        let opened = (0..<10).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in opened { close(descriptor) } }
        // Other tests open and close files at the same time.
        #expect(try #require(meter.descriptors) > before)
        #expect(try #require(meter.memory) > 1 << 20)
    }

    @Test func nobody() {
        let meter = ProcessMeter(pid: -1)
        #expect(meter.memory == nil)
        #expect(meter.descriptors == nil)
    }
}
