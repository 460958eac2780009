// callctl plugin new: writes the package of a new plugin, from the template of the SDK. Needs no daemon.

import ArgumentParser
import EventLoop
import Files
import Glibc

extension PluginsCommand {
    struct New: LoopCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the package of a new plugin.",
            discussion: """
                NAME becomes a folder with a Swift package: a provider, its test, the files of its bundle, and a Makefile \
                whose targets print their commands and what comes next. Nothing is built, installed or started.

                For example: callctl plugin new Walkie
                """)

        @Argument(help: "The plugin's name: letters and digits, a capital letter first.") var name: String
        @Option(
            help: ArgumentHelp(
                "The SDK: the folder that opencallkit-dev installs, or a checkout; default: the installed one.",
                valueName: "folder"), completion: .directory)
        var sdk: String?
        @Flag(help: "Print JSON.") var json = false

        var printsJSON: Bool { json }

        func validate() throws {
            guard name.wholeMatch(of: /[A-Z][A-Za-z0-9]{0,62}/) != nil else {
                throw ValidationError(
                    "the name is \"\(name)\", expected letters and digits with a capital letter first, such as Walkie")
            }
        }

        @LoopActor func execute(_ output: Output) async throws(Failure) {
            let template = try PluginTemplate(of: sdk)
            try template.write(name)
            let folder = JSON.Member("folder", .string(name))
            try output.result(
                """
                made \(name), with the SDK in \(template.sdk.printable)

                Try it, step by step; each prints its commands and the next one:
                  cd \(name)
                  make build
                  make test
                  make bundle
                  make certify
                  make install
                  make call
                """, json: .object([folder, JSON.Member("sdk", .string(template.sdk))]))
        }
    }
}

/// The package in the SDK that others are made of.
private struct PluginTemplate {
    /// Its name, and where it has the SDK, in all its files.
    private static let placeholder = "Template"
    private static let formerSDK = "path: \"../..\""
    private static let longestFile = 1 << 20
    private static let deepest = 8

    let sdk: String
    private let folder: String

    /// - Parameter sdk: its folder; nil for the one that is installed with this program.
    init(of sdk: String?) throws(Failure) {
        let given = sdk ?? Self.installed
        guard let path = try? FileStatus.resolve(given) else {
            let hint = sdk == nil ? "; install opencallkit-dev, or name a checkout with --sdk" : ""
            throw Failure(.unknown, "no SDK in \(given)\(hint)".printable)
        }
        let folders = ["\(path)/\(Self.placeholder)", "\(path)/Examples/\(Self.placeholder)"]
        guard let found = folders.first(where: { (try? FileStatus("\($0)/Package.swift")) != nil }) else {
            throw Failure(.unknown, "\(path) is no SDK of OpenCallKit: it has no template".printable)
        }
        (self.sdk, folder) = (path, found)
    }

    /// Where opencallkit-dev has the SDK: below the prefix of this program.
    private static var installed: String {
        let program = (try? FileStatus.resolve("/proc/self/exe")) ?? "/usr/bin/callctl"
        return program.deletingLastElement.deletingLastElement + "/share/opencallkit/OpenCallKit"
    }

    /// Writes the package into a new folder.
    func write(_ name: String) throws(Failure) {
        guard (try? FileStatus(name, followingLinks: false)) == nil else {
            throw Failure(.refused, "\(name) exists already")
        }
        do throws(SystemError) {
            let manifest = try text(of: "\(sdk)/Package.swift")
            guard !manifest.contains("\"\(name)\"") else {
                throw SystemError(call: "the SDK has a module \(name); name the plugin otherwise", code: EEXIST)
            }
            try copy(folder, to: name, as: name)
        } catch {
            throw Failure(.refused, "\(error)".printable)
        }
    }

    private func copy(_ source: String, to place: String, as name: String, depth: Int = 0) throws(SystemError) {
        switch try FileStatus(source).kind {
        case .folder where depth < Self.deepest:
            guard mkdir(place, 0o777) == 0 else { throw .last("mkdir \(place)") }
            for entry in try FolderListing.names(in: source, limit: 100, where: { $0 != ".build" }) {
                let renamed = entry == "gitignore" ? ".gitignore" : entry.replacing(Self.placeholder, with: name)
                try copy("\(source)/\(entry)", to: "\(place)/\(renamed)", as: name, depth: depth + 1)
            }
        default:
            let text = try text(of: source).replacing(Self.placeholder, with: name)
                .replacing(Self.formerSDK, with: "path: \"\(sdk)\"")
            let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw .last("open \(place)") }
            defer { close(descriptor) }
            guard (try? Output.write(text, to: descriptor)) != nil else { throw .last("write \(place)") }
        }
    }

    private func text(of path: String) throws(SystemError) -> String {
        let file = try FileReader(path)
        let size = Int(clamping: file.status.size)
        guard size <= Self.longestFile else { throw SystemError(call: "read \(path)", code: EFBIG) }
        return String(decoding: try file.bytes(at: 0, count: size), as: UTF8.self)
    }
}
