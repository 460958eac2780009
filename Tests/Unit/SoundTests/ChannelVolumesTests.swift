// Volumes as libpulse counts them.

import CSound
import Testing

@testable import Sound

@Suite struct ChannelVolumesTests {
    private let full = ChannelVolumes(values: [65_536, 32_768], positions: [1, 2])

    @Test func scalingIsOfTheAmplitude() {
        // Half of the volume of libpulse is an eighth of the amplitude.
        #expect(full.scaled(by: 0.125).values == [32_768, 16_384])
        #expect(full.scaled(by: 1) == full)
        #expect(full.scaled(by: 0).values == [0, 0])
        #expect(full.scaled(by: 0.125).positions == [1, 2])
    }

    @Test(arguments: [-1, .nan, 2, .infinity, -.infinity] as [Double])
    func factorsOutsideOfTheRangeAreTakenAsItsEnds(factor: Double) {
        let scaled = full.scaled(by: factor)
        #expect(scaled.values == [0, 0] || scaled == full)
    }

    @Test func valuesOfLibpulseComeBack() {
        let raw = full.raw
        #expect(raw.channels == 2)
        #expect(ChannelVolumes(raw, raw.map(full.positions)) == full)
        #expect(pa_cvolume_valid([raw]) != 0)
    }

    @Test func moreChannelsThanLibpulseHasAreLeftOut() {
        let many = ChannelVolumes(
            values: [UInt32](repeating: .max, count: 100), positions: [Int32](repeating: 0, count: 100))
        let raw = many.raw
        #expect(raw.channels == 32)
        #expect(pa_cvolume_valid([raw]) != 0)
        #expect(ChannelVolumes(raw, raw.map(many.positions)).values.count == 32)
    }

    @Test func eventsAreReadFromTheirNumbers() throws {
        let new = PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue | PA_SUBSCRIPTION_EVENT_NEW.rawValue
        let event = try #require(SoundEvent(type: new, index: 7))
        #expect(event.subject == .playback)
        #expect(event.change == .new)
        #expect(event.index == 7)
        let removed = PA_SUBSCRIPTION_EVENT_CARD.rawValue | PA_SUBSCRIPTION_EVENT_REMOVE.rawValue
        #expect(SoundEvent(type: removed, index: 0)?.change == .removed)
        #expect(SoundEvent(type: PA_SUBSCRIPTION_EVENT_CLIENT.rawValue, index: 0) == nil)
    }
}
