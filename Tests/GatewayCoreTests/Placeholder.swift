// GatewayCoreTests
