// What `import OpenCallKit` brings along, as `import CallKit` does: UUID, Date and Data, and dispatch queues.

@_exported public import Dispatch
@_exported public import FoundationEssentials
