// The note in the built plugins.

import CallModel
import EventLoop
import Files
import Testing

@testable import WorkerLaunch

@Suite struct ShippedNoteTests {
    /// Every built plugin has the SDK's note after linking.
    @Test(arguments: ["Hotline", "MonkeyCall", "SmallestPlugin", "Misbehaving"])
    func pluginsCarryTheNote(_ name: String) throws {
        let file = try FileReader(ProcessEnvironment.executableFolder + "/lib\(name).so")
        let reader = ELFNoteReader(size: file.status.size) { offset, count throws(PluginFileError) in
            do throws(SystemError) {
                return try file.bytes(at: offset, count: count)
            } catch {
                throw .unreadable(error)
            }
        }
        let note = try reader.note()
        let version = OpenCallKitVersion.numbers
        #expect(note.protocolVersion == Contract.protocolVersion)
        #expect(
            note.sdkVersion == PluginNote.SDKVersion(major: version.major, minor: version.minor, patch: version.patch))
        #expect(note.toolchain.major == 6)
        #if compiler(>=6.4)
            #expect(note.toolchain.minor == 4)
        #else
            #expect(note.toolchain.minor == 3)
        #endif
    }
}
