// The note in every plugin's file that says which OpenCallKit it was built with, to be read without loading the file.

/// An ELF note in the section `.note.opencallkit`, which the linker puts into a PT_NOTE segment: name `OpenCallKit`,
/// type 1, and six 32-bit numbers. They are written out because a section holds constants only; a test compares them
/// with `OpenCallKitVersion` and `Contract`.
enum PluginNoteSection {
    #if compiler(>=6.4)
        @section(".note.opencallkit") @used
        static let section: Words = (12, 24, 1, 0x6E65_704F, 0x6C6C_6143, 0x0074_694B, 1, 0, 1, 0, 6, 4)
    #else
        @section(".note.opencallkit") @used
        static let section: Words = (12, 24, 1, 0x6E65_704F, 0x6C6C_6143, 0x0074_694B, 1, 0, 1, 0, 6, 3)
    #endif

    /// Size of the name with its end, size of the value, type; the name in three words; protocol version; major, minor
    /// and patch number of the SDK; major and minor number of the compiler.
    typealias Words = (
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32
    )

    /// What the SDK was built with, for people. The entry uses it, so a linker that takes the SDK from an archive keeps
    /// the note; inlined, it would take the numbers and leave the note behind.
    @inline(never) static var toolchain: String { "Swift \(section.10).\(section.11)" }
}
