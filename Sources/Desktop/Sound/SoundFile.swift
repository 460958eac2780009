// SoundFile: a file with a ringtone, read piece by piece.

internal import CSound
package import EventLoop
internal import Files
internal import Glibc

/// Why a file cannot be played.
package enum SoundFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It cannot be opened, with the system's reason.
    case unreadable(String)
    /// It is larger than `SoundFile.maximumBytes`.
    case tooLarge
    /// Its format is unknown or broken, with libsndfile's reason.
    case invalid(String)

    package var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .tooLarge: "is larger than \(SoundFile.maximumBytes >> 20) MiB"
        case .invalid(let reason): "is not a valid sound file: \(reason)"
        }
    }
}

/// An open sound file: WAV, Ogg, FLAC, MP3 and what else libsndfile reads. The file may vanish while it is open.
@LoopActor
package final class SoundFile: SampleSource {
    /// The size of the largest file that is played, in bytes.
    package nonisolated static let maximumBytes = 16 << 20
    private nonisolated static let rates = 4_000...192_000
    private nonisolated static let maximumChannels = 8

    let rate: Int
    let channels: Int
    private let sound: OpaquePointer
    /// Called once, if a part of the file cannot be decoded.
    package var onDamage: (@LoopActor () -> Void)?

    /// Opens a regular file with an absolute path.
    package init(_ path: String) throws(SoundFileError) {
        guard path.hasPrefix("/") else { throw .unreadable("it is not an absolute path") }
        let file: FileReader
        do throws(SystemError) {
            file = try FileReader(path)
        } catch {
            throw .unreadable("\(error)")
        }
        guard file.status.size <= UInt64(Self.maximumBytes) else { throw .tooLarge }
        var info = SF_INFO()
        // libsndfile closes the descriptor of a file that it cannot read, whatever it is told: it gets one of its own.
        let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw .unreadable("\(SystemError.last("fcntl"))") }
        var opened: OpaquePointer?
        _ = DecoderWords.appear { opened = sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) }
        guard let sound = opened else {
            throw .invalid(String(cString: sf_strerror(nil)))
        }
        guard Self.rates.contains(Int(info.samplerate)), (1...Self.maximumChannels).contains(Int(info.channels)),
            info.frames > 0
        else {
            sf_close(sound)
            throw .invalid("\(info.channels) channels of \(info.frames) samples, \(info.samplerate) per second")
        }
        self.sound = sound
        rate = Int(info.samplerate)
        channels = Int(info.channels)
    }

    isolated deinit { sf_close(sound) }

    func read(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        var frames: sf_count_t = 0
        let isDamaged = DecoderWords.appear {
            frames = sf_readf_float(sound, buffer.baseAddress, sf_count_t(buffer.count / channels))
        }
        if isDamaged {
            onDamage?()
            onDamage = nil
        }
        let count = max(0, Int(frames))
        // Files with floating-point samples may hold anything.
        for index in 0..<(count * channels) {
            let sample = buffer[index]
            buffer[index] = sample.isNaN ? 0 : min(1, max(-1, sample))
        }
        return count
    }

    func rewind() { _ = DecoderWords.appear { sf_seek(sound, 0, SEEK_SET) } }
}
