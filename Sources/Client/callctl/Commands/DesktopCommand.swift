// callctl desktop: the agent that shows calls and rings.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct DesktopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desktop", abstract: "Show what the desktop agent does, and set the ringtone.",
        discussion: "The agent callkit-desktop shows calls, rings and makes room for them.",
        subcommands: [
            Status.self, TestRing.self, Stop.self, Volume.self, Ringtone.self, KeysCommand.self, PressCommand.self,
        ],
        defaultSubcommand: Status.self)

    struct Status: BusCommand {
        static let configuration = CommandConfiguration(abstract: "List the agent's parts.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let values = try await session.desktopProperties()
            let parts: [VariantDictionary] = values["Parts"].flatMap { try? $0.value() } ?? []
            var table = Table(columns: ["PART", "READY", .flexible("WHAT IT DOES")])
            table.rows = parts.map { part in
                let isReady = part["ready", default: false]
                return [
                    Cell(part["name", default: ""], .bold), Cell(isReady ? "yes" : "no", isReady ? .green : .dim),
                    Cell(part["text", default: ""]),
                ]
            }
            try session.output.result(
                table.text(on: session.output.terminal), json: .object(values.propertyMembers))
        }
    }

    struct TestRing: BusCommand {
        static let configuration = CommandConfiguration(
            commandName: "test-ring", abstract: "Play a ringtone for ten seconds.")

        @Argument(help: "The provider whose ringtone is played; default: the theme's.", completion: .providers)
        var provider: String?
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            var id = ""
            if let provider { id = try await session.providerID(provider) }
            let _: Void = try await session.call(
                of: .desktop, at: BusService.desktopPath, Contract.desktop, "TestRing", id)
            try session.output.result("ringing; callctl desktop stop ends it", json: .object([]))
        }
    }

    struct Stop: BusCommand {
        static let configuration = CommandConfiguration(abstract: "End the test of a ringtone.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let _: Void = try await session.call(
                of: .desktop, at: BusService.desktopPath, Contract.desktop, "StopRinging")
        }
    }

    struct Volume: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Show or set how loud it rings.")

        @Argument(help: "0 to 100; default: print it.") var percent: Int?
        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard percent.map({ (0...100).contains($0) }) ?? true else {
                throw ValidationError("the volume is 0 to 100")
            }
        }

        @LoopActor func run(in session: Session) async throws(Failure) {
            if let percent { try await session.setDesktopProperty("RingVolume", to: Double(percent) / 100) }
            let volume: Double = try await session.desktopProperties()["RingVolume", default: 1]
            let now = Int((volume * 100).rounded())
            try session.output.result("\(now)", json: .object([JSON.Member("volume", .unsigned(UInt64(max(0, now))))]))
        }
    }

    struct Ringtone: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Choose the ringtone of a provider or a contact.",
            discussion: "Without a file, the provider's own ringtone counts again.")

        @Argument(help: "A provider, or the identifier of a contact.", completion: .providers) var provider: String
        @Argument(help: "A WAV, Ogg, FLAC or MP3 file of at most 16 MiB.", completion: .file()) var file: String?
        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard file?.hasPrefix("/") ?? true else { throw ValidationError("the file needs an absolute path") }
        }

        @LoopActor func run(in session: Session) async throws(Failure) {
            let id = try await session.providerID(provider)
            var tones: [String: String] =
                try await session.desktopProperties()["Ringtones"].flatMap { try? $0.value() } ?? [:]
            tones[id] = file
            try await session.setDesktopProperty("Ringtones", to: tones)
            try session.output.result(
                file.map { "\(id) rings with \($0)" } ?? "\(id) rings with its own ringtone", json: .object([]))
        }
    }
}

extension Session {
    fileprivate func desktopProperties() async throws(Failure) -> VariantDictionary {
        try await call(
            of: .desktop, at: BusService.desktopPath, StandardInterface.properties, "GetAll", Contract.desktop,
            waiting: Session.quickTimeout)
    }

    fileprivate func setDesktopProperty(_ name: String, to value: some DBusType) async throws(Failure) {
        let _: Void = try await call(
            of: .desktop, at: BusService.desktopPath, StandardInterface.properties, "Set", Contract.desktop, name,
            Variant(value), waiting: Session.quickTimeout)
    }
}
