// EventLoop: one epoll loop on one thread, which is the executor of one global actor.
//
// All state of a program that uses it lives on that thread. Descriptors (`FileWatch`), timers (`LoopTimer`), signals
// (`SignalWatch`) and child processes (`ChildProcess`) report there; other threads hand work over with `Loop.post`.
// Posted work and jobs of the actor share one queue, so they run in the order in which they arrive.
