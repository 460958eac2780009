// CallCore
