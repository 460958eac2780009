// EventLoop: one epoll loop on one thread, which is the executor of one global actor.
//
// All state of a program that uses it lives on that thread. Descriptors (`FileWatch`), timers (`LoopTimer`), signals
// (`SignalWatch`), children (`ChildProcess`) and folders (`DirectoryWatch`) report there; other threads hand work over
// with `Loop.post`. Work posted and jobs of the actor share one queue, so the order of arrival is the order of execution.
