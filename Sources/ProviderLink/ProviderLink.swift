// ProviderLink
