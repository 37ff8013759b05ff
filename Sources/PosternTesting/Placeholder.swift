// PosternTesting
