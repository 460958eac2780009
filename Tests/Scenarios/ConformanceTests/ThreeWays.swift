// Every scenario is played three ways: in the core (see CallCoreTests), in the host without a bus, and in the daemon.

import Testing

/// One way after the other: the second keeps the loop busy, and the third is played in real time on the same loop.
@Suite(.serialized) enum ThreeWays {}
