// What ModemManager's errors mean.

import DBus

extension ModemFailure {
    /// The error of a call of the bus that asked ModemManager for something.
    init(_ error: DBusError) {
        let name = error.name
        switch name {
        case DBusError.Name.nameHasNoOwner, DBusError.Name.serviceUnknown, DBusError.Name.disconnected,
            DBusError.Name.noReply:
            self = .gone
        // ModemManager could not open the device, since it is not there any more.
        case "\(ModemManagerName.service).Error.Core.Connected": self = .gone
        case "\(ModemManagerName.service).Error.Connection.Busy": self = .notReached(.refusedOrBusy)
        case "\(ModemManagerName.service).Error.Connection.NoAnswer": self = .notReached(.ended)
        case "\(ModemManagerName.service).Error.Connection.NoDialtone",
            "\(ModemManagerName.service).Error.Connection.NoCarrier":
            self = .notReached(.notReached)
        case DBusError.Name.timeout: self = .refused("the modem did not answer in time")
        default:
            let serial = "\(ModemManagerName.service).Error.Serial."
            let isLost = ["OpenFailed", "OpenFailedNoDevice", "SendFailed", "NotOpen", "ConfigFailed"].contains {
                name == serial + $0
            }
            // ModemManager 1.24 tells it in the words alone.
            let isClosed = error.message.contains("has been forced close")
            self = isLost || isClosed ? .gone : .refused(String(error.message.filter { !$0.isNewline }.prefix(200)))
        }
    }
}
