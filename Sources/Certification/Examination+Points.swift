// Which examination belongs to which point.

extension Examination {
    /// - Returns: what was seen, at a point that is passed.
    func examine(_ point: Point) async throws(Unmet) -> String {
        switch point {
        case .file: try examineFile()
        case .note: try examineNote()
        case .hello: try await examineHello()
        case .registration: try await examineRegistration()
        case .configuration: try await examineConfiguration()
        case .ringtone: try await examineRingtone()
        case .icon: try await examineIcon()
        case .start: try await examineStart()
        case .connect: try await examineConnect()
        case .incoming: try await examineIncoming()
        case .refusedIncoming: try await examineRefusedIncoming()
        case .answer: try await examineAnswer()
        case .reject: try await examineReject()
        case .mute: try await examineMute()
        case .hold: try await examineHold()
        case .resume: try await examineResume()
        case .dtmf: try await examineDTMF()
        case .dtmfPauses: try await examineDTMFPauses()
        case .translation: try await examineTranslation()
        case .secondCall: try await examineSecondCall()
        case .group: try await examineGroup()
        case .groupHold: try await examineGroupHold()
        case .ungroup: try await examineUngroup()
        case .end: try await examineEnd()
        case .audio: try await examineAudio()
        case .audioRelease: try await examineAudioRelease()
        case .unknownCall: try await examineUnknownCall()
        case .unknownKind: try await examineUnknownKind()
        case .malformedAction: try await examineMalformedAction()
        case .customActions: try await examineCustomActions()
        case .timedOut: try await examineTimedOut()
        case .reset: try await examineReset()
        case .ping: try await examinePing()
        case .memory: try await examineMemory()
        case .descriptors: try await examineDescriptors()
        case .linkClosed: try await examineLinkClosed()
        case .linkAborted: try await examineLinkAborted()
        case .reports: try await examineReports()
        case .lateAnswers: try await examineLateAnswers()
        case .doubleAnswers: try await examineDoubleAnswers()
        }
    }
}
