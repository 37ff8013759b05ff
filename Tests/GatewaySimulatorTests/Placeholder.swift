// GatewaySimulatorTests
