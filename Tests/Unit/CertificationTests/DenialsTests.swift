// What was denied is told to a plugin's author: what is a permission first, and little of what libraries look for.

import Testing

@testable import Certification

@Suite struct DenialsTests {
    @Test func whatMattersIsFirst() {
        let lines = ["file /etc/group", "file /home/a/Music", "file /dev/ttyUSB0", "execve", "socket AF_INET"]
        let text = Denials(lines, home: "/home/a").text
        #expect(
            text == "execve, socket AF_INET (network), file /home/a/Music, file /dev/ttyUSB0, file /etc/group")
    }

    @Test func aLongListIsCut() {
        let lines = (100..<200).map { "file /usr/share/something/\($0)" }
        let text = Denials(lines, home: "").text
        #expect(text.hasPrefix("file /usr/share/something/100, ") && text.hasSuffix(" more") && text.count < 200)
        #expect(text.contains(", 96 more"))
    }

    @Test func nothingIsNothing() {
        #expect(Denials([], home: "/home/a").text.isEmpty)
    }

    @Test func aHomeThatIsUnknownHasNoFiles() {
        #expect(Denials(["file /a", "kill"], home: "").text == "kill, file /a")
    }
}
