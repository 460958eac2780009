// Do Not Disturb outside the core: the clock, the bus and the file.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Files
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

    /// More than any settings take, in bytes.
    private static var longestFile: Int { 65_536 }
    /// A day, in µs.
    private static var longestSleep: UInt64 { 86_400_000_000 }

    // MARK: The file

    /// Takes over what was set when the daemon ran the last time.
    func loadDoNotDisturb() {
        guard let path = doNotDisturbPath else { return }
        do {
            let bytes = try FileReader(path).bytes(at: 0, count: Self.longestFile)
            doNotDisturb = try DoNotDisturbSettings(text: String(decoding: bytes, as: UTF8.self))
            if doNotDisturb.rules != machine.doNotDisturbRules { submit(.doNotDisturbRulesSet(doNotDisturb.rules)) }
            reviewDoNotDisturb()
        } catch let error as SystemError where error.isMissing {
            return
        } catch {
            reportBadSettings(path, "\(error)")
        }
    }

    private func reportBadSettings(_ path: String, _ reason: String) {
        log.error("do not disturb is as usual, \(path) is not understood: \(reason)")
        let text = "do not disturb has its usual settings, the file of them is not understood"
        tree.emit(CallSystemObject.anomaly, from: .system, "bad-settings", .system, text)
    }

    private func saveDoNotDisturb() {
        guard let path = doNotDisturbPath else { return }
        do throws(SystemError) {
            try FileWriter.makeFolder(configuration.settingsFolder ?? "/")
            try FileWriter.replace(path, with: Array(doNotDisturb.text.utf8))
        } catch {
            log.error("do not disturb is forgotten when the daemon ends: \(error)")
        }
    }

    private var doNotDisturbPath: String? { configuration.settingsFolder.map { $0 + "/do-not-disturb" } }
}
