// The connection to the sound server.

import Testing

@testable import Sound

@Suite struct SoundServerTests {
}
