print("callkitd")
