// Times as numbers of milliseconds, for those who do not say `Duration` yet.

extension MonotonicTime {
    public func advanced(byMilliseconds milliseconds: Int) -> MonotonicTime {
        advanced(by: .milliseconds(milliseconds))
    }
    public func milliseconds(since earlier: MonotonicTime) -> Int { duration(since: earlier).milliseconds }
}

extension LoopTimer {
    public convenience init(afterMilliseconds milliseconds: Int, handler: @escaping @LoopActor () -> Void) {
        self.init(after: .milliseconds(milliseconds), handler: handler)
    }
}
