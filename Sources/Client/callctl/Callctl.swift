// The root command: the list of commands, how to name calls, and the exit codes.

import ArgumentParser
import CallModel

struct Callctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callctl",
        abstract: "See and control the calls on this machine.",
        discussion: """
            CALL is the beginning of a call's id, its state, its provider, its caller's name or number, or its object \
            path. It is optional where exactly one call matches; calls that have ended do not count. PROVIDER and \
            PLUGIN are an id, the beginning of an id, or an object path. Without a command, the status is shown.

            --json may stand before or after the command. Keys are in lower case, with dashes. Times are microseconds \
            since the epoch; durations, whose keys end with -ms, are milliseconds.

            Completions: callctl --generate-completion-script bash (or zsh, fish).

            Exit codes:
            \(CallctlExit.table)
            """,
        version: "callctl \(OpenCallKitVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Status",
                subcommands: [
                    StatusCommand.self, ListCommand.self, ShowCommand.self, ExplainCommand.self, WatchCommand.self,
                ]),
            CommandGroup(
                name: "Calling",
                subcommands: [
                    StartCommand.self, AnswerCommand.self, RejectCommand.self, EndCommand.self, SilenceCommand.self,
                    PlanCommand.self,
                ]),
            CommandGroup(
                name: "In-call",
                subcommands: [
                    HoldCommand.self, ResumeCommand.self, MuteCommand.self, UnmuteCommand.self, DTMFCommand.self,
                    TranslateCommand.self, TransferCommand.self, AcceptTransferCommand.self,
                    DeclineTransferCommand.self,
                    GroupCommand.self, UngroupCommand.self,
                ]),
            CommandGroup(
                name: "People",
                subcommands: [
                    RecentsCommand.self, FavoritesCommand.self, IdentifyCommand.self, BlockCommand.self,
                    UnblockCommand.self, BlockedCommand.self, AllowCommand.self, DisallowCommand.self,
                    AllowedCommand.self, DirectoryCommand.self, ContactsCommand.self,
                ]),
            CommandGroup(name: "Desktop", subcommands: [AudioCommand.self, DesktopCommand.self]),
            CommandGroup(
                name: "System",
                subcommands: [
                    ProvidersCommand.self, AccountsCommand.self, PluginsCommand.self, AccessCommand.self,
                    ActionCommand.self, DoNotDisturbCommand.self, DoctorCommand.self, ReplayCommand.self,
                    CertifyCommand.self,
                ]),
        ],
        defaultSubcommand: StatusCommand.self)
}
