// GatewayRuntimeTests
