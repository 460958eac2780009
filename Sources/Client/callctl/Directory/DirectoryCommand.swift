// callctl directory: the extensions that block and name callers.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct DirectoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "directory", abstract: "List, load, enable or disable the extensions of the call directory.",
        discussion: "For example: callctl directory enable spam",
        subcommands: [List.self, Report.self, Reload.self, Enable.self, Disable.self], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the extensions.", discussion: "For example: callctl directory")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let extensions = try await session.directoryExtensions()
            try session.output.result(
                ExtensionReport.table(of: extensions, at: .now, on: session.output.terminal),
                json: .array(extensions.map(\.json)))
        }
    }

    struct Report: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the result of an extension's last load.",
            discussion: "For example: callctl directory report spam")

        @OptionGroup var target: ExtensionArgument
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.directoryExtension(target.name)
            try session.output.result(found.report(at: .now, on: session.output.terminal), json: found.json)
        }
    }

    struct Reload: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load an extension's entries again.",
            discussion: """
                Waits until they are in force, and shows the progress on a terminal. If loading fails, the previous \
                entries remain in force.

                For example: callctl directory reload spam
                """)

        @OptionGroup var target: ExtensionArgument
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let id = try await session.directoryExtension(target.name).id
            let loaded = try await session.loading(id) { () async throws(Failure) in
                let _: Void = try await session.call(
                    at: Session.extensionPath(id), Contract.directoryExtension, "Reload",
                    waiting: Session.loadingTimeout)
            }
            try session.output.result("reloaded \(id): \(loaded.contents)".printable, json: loaded.json)
        }
    }

    struct Enable: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enable an extension and load its entries.",
            discussion: "It stays enabled if loading fails.\n\nFor example: callctl directory enable spam")

        @OptionGroup var target: ExtensionArgument
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.directoryExtension(target.name)
            let loaded = try await session.loading(found.id) { () async throws(Failure) in
                try await session.enable(found.id, true)
            }
            if let failure = loaded.failure { throw failure }
            let done = found.isEnabled ? "\(found.id) is enabled already" : "enabled \(found.id)"
            try session.output.result("\(done): \(loaded.contents)".printable, json: loaded.json)
        }
    }

    struct Disable: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disable an extension; its entries are no longer in force.",
            discussion: "For example: callctl directory disable spam")

        @OptionGroup var target: ExtensionArgument
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.directoryExtension(target.name)
            try await session.enable(found.id, false)
            let report = try await session.report(found.id)
            let done = found.isEnabled ? "disabled \(found.id)" : "\(found.id) is disabled already"
            try session.output.result(done.printable, json: report.json)
        }
    }
}

struct ExtensionArgument: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("The extension: its id, or the beginning of it.", valueName: "extension"))
    var name: String
}

extension Session {
    fileprivate func enable(_ id: String, _ isEnabled: Bool) async throws(Failure) {
        try await setProperty(
            "Status", of: Contract.directoryExtension, at: Self.extensionPath(id),
            to: isEnabled ? "enabled" : "disabled")
    }
}
