// Do Not Disturb outside the core: the clock, the bus and the file.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// Writes down what the user wants, puts it in force and tells the bus.
    ///
    /// - Throws: `StoreUnavailable` if it cannot be written; nothing has changed then.
    func setDoNotDisturb(_ settings: DoNotDisturbSettings) throws(CallError) {
        try doNotDisturbFile.keep(settings) { settings in
            let isNew = settings != doNotDisturb
            doNotDisturb = settings
            if settings.rules != machine.doNotDisturbRules { submit(.doNotDisturbRulesSet(settings.rules)) }
            reviewDoNotDisturb()
            if isNew { tree.propertiesChanged(at: .system, Contract.callSystem, ["DoNotDisturbRules"]) }
        }
    }

    /// Turns it on or off by hand.
    ///
    /// - Throws: as `setDoNotDisturb`.
    func turnDoNotDisturb(on isOn: Bool) throws(CallError) {
        reviewDoNotDisturb()
        guard isOn != isDoNotDisturbOn else { return }
        var settings = doNotDisturb
        settings.turn(on: isOn, at: clock.now.date)
        try setDoNotDisturb(settings)
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
        doNotDisturb = doNotDisturbFile.read()
        if doNotDisturb.rules != machine.doNotDisturbRules { submit(.doNotDisturbRulesSet(doNotDisturb.rules)) }
        reviewDoNotDisturb()
    }
}
