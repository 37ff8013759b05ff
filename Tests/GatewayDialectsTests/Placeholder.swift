// GatewayDialectsTests
