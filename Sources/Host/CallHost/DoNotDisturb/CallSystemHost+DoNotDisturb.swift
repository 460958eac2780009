// Do Not Disturb outside the core: the clock, the bus and the file.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// Sets what the user wants, tells the bus and writes it down.
    func setDoNotDisturb(_ settings: DoNotDisturbSettings) {
        let isNew = settings != doNotDisturb
        doNotDisturb = settings
        if settings.rules != machine.doNotDisturbRules { submit(.doNotDisturbRulesSet(settings.rules)) }
        reviewDoNotDisturb()
        guard isNew else { return }
        tree.propertiesChanged(at: .system, Contract.callSystem, ["DoNotDisturbRules"])
        saveDoNotDisturb()
    }

    /// Turns it on or off by hand.
    func turnDoNotDisturb(on isOn: Bool) {
        reviewDoNotDisturb()
        guard isOn != isDoNotDisturbOn else { return }
        var settings = doNotDisturb
        settings.turn(on: isOn, at: clock.now.date)
        setDoNotDisturb(settings)
    }

    /// Turns it on or off if the clock says so. Clocks may be set, and machines sleep: it is asked at every occasion.
    func reviewDoNotDisturb() {
        let now = clock.now
        let isOn = doNotDisturb.isOn(at: now.date)
        let wasOn = isDoNotDisturbOn
        isDoNotDisturbOn = isOn
        submitQuiet()
        if isOn != wasOn { tree.propertiesChanged(at: .system, Contract.callSystem, ["DoNotDisturb"]) }
        doNotDisturbTimer?.cancel()
        doNotDisturbTimer = doNotDisturb.nextChange(after: now.date).map { change in
            let uptime = now.uptime + min(change - now.date, Self.longestSleep)
            return clock.timer(at: Instant(uptime: uptime, date: change)) { [weak self] in self?.reviewDoNotDisturb() }
        }
    }

    /// Tells the core whether calls are filtered: for the user, or for another source.
    func submitQuiet() {
        let isQuiet = isDoNotDisturbOn || !quietSources.names.isEmpty
        if isQuiet != machine.doNotDisturb { submit(.doNotDisturbSet(isQuiet)) }
    }

    /// Before an incoming call: only a schedule can have been missed.
    func reviewDoNotDisturbSchedule() {
        if !doNotDisturb.schedule.isEmpty { reviewDoNotDisturb() }
    }

    /// A day, in µs.
    private static var longestSleep: UInt64 { 86_400_000_000 }

    // MARK: The file

    /// Takes over what was set when the daemon ran the last time.
    func loadDoNotDisturb() {
        guard
            let settings = loadSettings(
                Self.doNotDisturbFile, orElse: "do not disturb has its usual settings",
                parse: DoNotDisturbSettings.init(text:))
        else { return }
        doNotDisturb = settings
        if settings.rules != machine.doNotDisturbRules { submit(.doNotDisturbRulesSet(settings.rules)) }
        reviewDoNotDisturb()
    }

    private func saveDoNotDisturb() {
        saveSettings(Self.doNotDisturbFile, doNotDisturb.text, of: "do not disturb")
    }

    private static var doNotDisturbFile: String { "do-not-disturb" }
}
