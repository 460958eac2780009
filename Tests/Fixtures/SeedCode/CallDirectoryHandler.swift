// The directory extension of the seed's app.

#if canImport(CallKit)
    import CallKit
#else
    import OpenCallKit
#endif

class CallDirectoryHandler: CXCallDirectoryProvider {
    var failure: Error?

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self

        if context.isIncremental {
            addOrRemoveIncrementalBlockingPhoneNumbers(to: context)
        } else {
            addAllBlockingPhoneNumbers(to: context)
        }
        addAllIdentificationPhoneNumbers(to: context)

        context.completeRequest()
    }

    private func addAllBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
        let phoneNumbers: [CXCallDirectoryPhoneNumber] = [1234]
        for phoneNumber in phoneNumbers {
            context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber)
        }
    }

    private func addOrRemoveIncrementalBlockingPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
        let phoneNumbersToAdd: [CXCallDirectoryPhoneNumber] = [1_408_555_1234]
        for phoneNumber in phoneNumbersToAdd {
            context.addBlockingEntry(withNextSequentialPhoneNumber: phoneNumber)
        }
        let phoneNumbersToRemove: [CXCallDirectoryPhoneNumber] = [1_800_555_5555]
        for phoneNumber in phoneNumbersToRemove {
            context.removeBlockingEntry(withPhoneNumber: phoneNumber)
        }
    }

    private func addAllIdentificationPhoneNumbers(to context: CXCallDirectoryExtensionContext) {
        let phoneNumbers: [CXCallDirectoryPhoneNumber] = [1111]
        let labels = ["RW Tutorial Team"]

        for (phoneNumber, label) in zip(phoneNumbers, labels) {
            context.addIdentificationEntry(
                withNextSequentialPhoneNumber: phoneNumber,
                label: label)
        }
    }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: Error) {
        failure = error
    }
}
