// Hotline
