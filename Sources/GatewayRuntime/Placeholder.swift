// GatewayRuntime
