// callctl accounts: the user's accounts with networks.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List, add, change or remove accounts with networks.",
        discussion: """
            ACCOUNT is an id, the beginning of an id, or the account's name. Secrets, such as passwords, are asked on \
            the terminal without being shown, or read from a file descriptor; they are no arguments, which others \
            would see.

            For example: callctl accounts add MonkeyCall zoo=Berlin
            """,
        subcommands: [
            List.self, Schema.self, AccountsAddCommand.self, AccountsImportCommand.self, Show.self,
            AccountsSetCommand.self,
            AccountsSecretCommand.self, Enable.self, Disable.self, Retry.self, AccountsRemoveCommand.self,
        ], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts and how they fare.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let book = try await session.accounts()
            try session.output.result(
                book.table(on: session.output.terminal), json: .array(book.rows.map(\.json)))
        }
    }

    struct Schema: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a plugin wants to know of an account.",
            discussion: "Without a plugin, lists the plugins with accounts.")

        @Argument(help: "The plugin.", completion: .accountPlugins) var plugin: String?
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            guard let plugin else {
                let plugins = try await session.accountPlugins()
                return try session.output.result(
                    plugins.isEmpty ? "no plugin has accounts" : plugins.joined(separator: "\n").printable,
                    json: .array(plugins.map { .string($0) }))
            }
            let form = try await session.form(of: plugin)
            try session.output.result(form.table(on: session.output.terminal), json: form.json)
        }
    }

    struct Show: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an account, its settings and which secrets it has.")

        @Argument(help: "The account.", completion: .accounts) var account: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let account = try await session.accounts().find(account)
            let form = try? await session.form(ofPlugin: account.plugin)
            try session.output.result(
                account.details(form, on: session.output.terminal), json: account.json)
        }
    }

    struct Enable: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Use an account.")

        @Argument(help: "The account.", completion: .accounts) var account: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let book = try await session.accounts()
            var account = try book.find(account)
            guard !account.flag("Enabled") else {
                return try session.output.result("\(book.title(of: account)) is enabled already", json: account.json)
            }
            try await session.set(account, enabled: true)
            account = try await session.settled(account)
            try session.output.result(book.report(on: account), json: account.json)
        }
    }

    struct Disable: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Stop using an account; its calls end.")

        @Argument(help: "The account.", completion: .accounts) var account: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let book = try await session.accounts()
            let account = try book.find(account)
            try await session.set(account, enabled: false)
            let title = book.title(of: account)
            try session.output.result(
                account.flag("Enabled") ? "disabled \(title)" : "\(title) is disabled already", json: account.reference)
        }
    }

    struct Retry: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try again at once: unlock the keyring, and connect anew.")

        @Argument(help: "The account.", completion: .accounts) var account: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let book = try await session.accounts()
            let account = try book.find(account)
            let _: Void = try await session.call(at: account.path, Contract.account, "Retry")
            try session.output.result("\(book.title(of: account)) is tried again", json: account.reference)
        }
    }
}
