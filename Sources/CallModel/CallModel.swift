// CallModel
