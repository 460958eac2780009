print("callctl")
