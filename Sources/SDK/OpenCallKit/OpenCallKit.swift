// The types that `import OpenCallKit` re-exports, as `import CallKit` does: UUID, Date, Data and dispatch queues.

@_exported public import Dispatch
@_exported public import FoundationEssentials
