// The names of the provider protocol's methods, as both sides spell them.
// Written by `make fmt` from dbus/*.xml.

public enum ProviderMember {
    /// Members of ProviderDelegate1, host to provider.
    public enum Delegate {
        public static let begin = "Begin"
        public static let reset = "Reset"
        public static let perform = "Perform"
        public static let timedOut = "TimedOut"
        public static let transactionEnded = "TransactionEnded"
        public static let audioSessionActivated = "AudioSessionActivated"
        public static let audioSessionDeactivated = "AudioSessionDeactivated"
        public static let customAction = "CustomAction"
        public static let sendServiceCode = "SendServiceCode"
        public static let replyToServiceCode = "ReplyToServiceCode"
        public static let cancelServiceCode = "CancelServiceCode"
    }

    /// The member of AccountsDelegate1, host to worker.
    public enum Accounts {
        public static let setAccounts = "SetAccounts"
    }

    /// The member of WorkerDelegate1, host to worker.
    public enum Worker {
        public static let leave = "Leave"
    }

    /// Members of ProviderHost1, provider to host.
    public enum Host {
        public static let reportNewIncomingCall = "ReportNewIncomingCall"
        public static let reportOngoingCall = "ReportOngoingCall"
        public static let reportCallUpdated = "ReportCallUpdated"
        public static let reportCallEnded = "ReportCallEnded"
        public static let reportOutgoingCallStartedConnecting = "ReportOutgoingCallStartedConnecting"
        public static let reportOutgoingCallConnected = "ReportOutgoingCallConnected"
        public static let updateConfiguration = "UpdateConfiguration"
        public static let invalidate = "Invalidate"
    }

    /// Members of DirectoryHost1, directory to store.
    public enum Directory {
        public static let hello = "Hello"
        public static let begin = "Begin"
        public static let block = "Block"
        public static let blockRanges = "BlockRanges"
        public static let identify = "Identify"
        public static let unblock = "Unblock"
        public static let unidentify = "Unidentify"
        public static let unblockAll = "UnblockAll"
        public static let unidentifyAll = "UnidentifyAll"
        public static let leaveOut = "LeaveOut"
        public static let complete = "Complete"
        public static let cancel = "Cancel"
    }

    /// Members of CallSystem1 and WorkerHost1 that providers use, at the root object.
    public enum System {
        public static let hello = "Hello"
        public static let observe = "Observe"
        public static let reportSecondAnswer = "ReportSecondAnswer"
        public static let reportAccount = "ReportAccount"
        public static let requestTransaction = "RequestTransaction"
        public static let registerProvider = "RegisterProvider"
    }
}
