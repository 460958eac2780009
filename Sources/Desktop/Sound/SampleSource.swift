// SampleSource: where the samples of a sound come from.

internal import EventLoop

/// A sound from its beginning to its end, piece by piece.
@LoopActor
protocol SampleSource: AnyObject {
    /// Samples per second of each channel.
    var rate: Int { get }
    var channels: Int { get }

    /// Fills the buffer with interleaved samples from -1 to 1.
    /// - Returns: how many frames were written; fewer than fit, at the end of the sound.
    func read(into buffer: UnsafeMutableBufferPointer<Float>) -> Int

    /// Begins again from the start.
    func rewind()
}
