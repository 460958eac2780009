// MonkeyCall
