// CallHost
