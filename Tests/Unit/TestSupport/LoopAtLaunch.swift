// Starts the loop before the test runner does anything: discovering the tests of a `@LoopActor` suite needs it already.

internal import EventLoop

@section(".init_array") @used
private let startLoopAtLaunch: @convention(c) () -> Void = { Loop.shared.start() }
